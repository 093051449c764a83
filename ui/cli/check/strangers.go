package check

import (
	"time"

	"github.com/go-zookeeper/zk"

	"electop/model/dialect"
	"electop/model/znode"
)

var strangers = Check{
	Name:   "strangers",
	Title:  "children that are no candidates disturb nobody",
	Source: "CURATOR-43: a foreign child blocked a lock",
	do: func(w *world) {
		leader := w.start(3)
		stranger := w.stranger()
		for name, flags := range map[string]int32{
			"0":                              0, // persistent; before all sequence numbers in the order of strings
			"configuration":                  0,
			"a-stranger":                     zk.FlagEphemeral,
			dialect.Stem(leader.Name) + "12": zk.FlagEphemeral, // too few digits
		} {
			if _, err := stranger.Create(w.ctx, znode.Join(w.p.dir, name), nil, flags, zk.WorldACL(zk.PermAll)); err != nil {
				w.unknown("%v", err)
			}
		}
		if in := w.add(); !w.join(in, joinLimit) {
			w.fail("%s did not join beside foreign children: %s", in.id, in.lastOutput())
		}
		began := time.Now()
		leader.of.terminate()
		w.takesOver(leader, began, Timeout+grace)
		for _, in := range w.all() {
			if in != leader.of && in.ended() {
				w.fail("%s ended beside foreign children: %s", in.id, in.lastOutput())
			}
		}
		w.needLeading()
	},
}
