package dialect

import "time"

// ack is how a system's leader says that it leads, for elections at (see endsIn)
// some path.
type ack struct {
	at string
	// znodes are from the election's path (see from); each of them acknowledges.
	znodes []string
	// child, in place of znodes, is the stem of a child of the election that the
	// leader creates with its session.
	child string
	// sameData says that the znode is persistent and has the data of the leader that
	// took over last, in place of its session.
	sameData bool
	// takeover is how long a leader may take to create it. It comes from a setting
	// of the system, or is a generous guess where there is none.
	takeover time.Duration
}

// ackAt returns how the leader of the election at path acknowledges, with what the path
// has for the last "*", zero for not at all.
func (d *Dialect) ackAt(path string) (ack, string) {
	if d != nil {
		for _, a := range d.ack {
			if star, ok := endsIn(path, a.at); ok {
				return a, star
			}
		}
	}
	return ack{}, ""
}

// AckPaths returns the znodes by which a leader of the election at path says that it
// leads: one of them is enough. nil where the system has none.
func (d *Dialect) AckPaths(path string) (paths []string) {
	a, star := d.ackAt(path)
	for _, z := range a.znodes {
		paths = append(paths, from(path, z, star))
	}
	return paths
}

// AckByData reports whether the acknowledgement is persistent and has the leader's
// data, in place of its session.
func (d *Dialect) AckByData(path string) bool {
	a, _ := d.ackAt(path)
	return a.sameData
}

// AckChild returns the stem of the child by which a leader of the election at path
// acknowledges, "" if it acknowledges otherwise.
func (d *Dialect) AckChild(path string) string {
	a, _ := d.ackAt(path)
	return a.child
}

// Takeover returns how long a leader of the election at path may take to acknowledge, 0
// if it does not.
func (d *Dialect) Takeover(path string) time.Duration {
	a, _ := d.ackAt(path)
	return a.takeover
}

// AckPatterns are the znodes of all its elections, from the election's path, with a
// star for a part of that; for people.
func (d *Dialect) AckPatterns() (out []string) {
	for _, a := range d.ack {
		out = append(out, a.znodes...)
		if a.child != "" {
			out = append(out, a.child)
		}
	}
	return out
}
