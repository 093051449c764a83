package check

import "slices"

var predecessor = Check{
	Name:   "predecessor",
	Title:  "the first one leads, and each other instance watches its predecessor only",
	Source: "recipe Leader Election, step 3: watch the znode with the next lower number, which avoids the herd effect",
	do: func(w *world) {
		w.joinAll(w.p.Instances)
		if why := w.disorder(); why != "" && len(w.leaders()) > 0 {
			w.fail("%s", why)
		} else if why != "" {
			w.unknown("%s", why)
		}
		first, candidates := w.candidate(0), w.queue()
		waiting := candidates[1:]
		_, listWatchers := w.server.Children(w.p.dir)
		if w.p.single != "" {
			for _, in := range w.all() {
				if in != first.of && !slices.Contains(append(listWatchers, first.Watchers...), in.facts().session) {
					w.fail("%s does not watch %s", in.id, first.path)
				}
			}
			w.note("a single-znode election: all others watch %s or the list of children", first.path)
			return
		}
		for watched, watchers := range map[string][]int64{"the first znode": first.Watchers, "the list of children": listWatchers} {
			all := !slices.ContainsFunc(waiting, func(c candidate) bool { return !slices.Contains(watchers, c.Owner) })
			if all && len(waiting) > 1 {
				w.fail("all %d waiting instances watch %s: with 1,000 instances a change notifies 999 of them", len(waiting), watched)
			}
		}
		for i, c := range waiting {
			var watched []string
			if slices.Contains(listWatchers, c.Owner) {
				watched = append(watched, "the list of children")
			}
			for _, other := range candidates {
				if other.path != c.path && slices.Contains(other.Watchers, c.Owner) {
					watched = append(watched, other.Name)
				}
			}
			if want := []string{candidates[i].Name}; !slices.Equal(watched, want) {
				w.fail("%s watches %q instead of only its predecessor %q", c.of.id, watched, want)
			}
		}
	},
}
