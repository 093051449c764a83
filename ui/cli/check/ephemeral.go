package check

var ephemeral = Check{
	Name:   "ephemeral",
	Title:  "each instance has one ephemeral sequential znode",
	Source: "recipe Leader Election, step 1: create with SEQUENCE and EPHEMERAL",
	do: func(w *world) {
		w.joinAll(w.p.Instances)
		if w.p.single != "" {
			w.note("a single-znode election: one ephemeral znode, %s; the other instances wait for its deletion", w.candidate(0).path)
			return
		}
		for _, in := range w.all() {
			own := w.candidatesOf(in)
			if len(own) != 1 {
				w.fail("%s has %d sequential znodes, not one", in.id, len(own))
			}
			if own[0].Owner == 0 {
				w.fail("%s created %s without EPHEMERAL: the znode stays after a crash", in.id, own[0].path)
			}
		}
	},
}
