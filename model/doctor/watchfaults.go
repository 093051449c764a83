package doctor

// watchFaults is what the watch tables say about all contenders.
type watchFaults struct {
	missing []int
	wrong   []astray
	// crowds are contenders that watch a child which they need not watch.
	crowds map[string]*crowd
	names  []string // of the crowds, sorted
}

type astray struct {
	at      int
	watched []string
}

type crowd struct {
	sure, maybe []int // by two tables, and by the last alone
	right       []int // those that have to watch it
}

// herdAtOnce is how many contenders on one child, that all have another to
// watch, are a herd by one table alone: no moment of a handoff looks like it.
const herdAtOnce = 3

func (v *watchFaults) gather(name string) *crowd {
	if v.crowds == nil {
		v.crowds = make(map[string]*crowd)
	}
	c := v.crowds[name]
	if c == nil {
		c = &crowd{}
		v.crowds[name] = c
	}
	return c
}

// herd reports whether two or more watch the child and at least one of them
// should watch another.
func (c *crowd) herd() bool {
	return len(c.sure) > 0 && len(c.sure)+len(c.right) >= 2 || len(c.sure)+len(c.maybe) >= herdAtOnce
}
