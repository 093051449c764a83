package dialect

import (
	"strings"

	"electop/model/znode"
)

// appointed is the recipe of a group whose lowest member appoints the leader, by a name
// in its data, and whose leader says in its own data that it leads. That one comes
// first, and nobody leads without it. Whether it is the one appointed is for
// [Dialect.Doubt] to say: it takes the whole queue.
type appointed struct {
	listing
	leads func(z *znode.Znode) bool
}

func (r appointed) kindOf(c *Candidate) kind {
	if r.leads(&c.Znode) {
		return kindLeader
	}
	return kindFollower
}

// acts reports whether the contender says that it leads.
func (r appointed) acts(c *Candidate) bool {
	if c.kind != kindUnknown {
		return c.kind == kindLeader
	}
	return r.leads(&c.Znode)
}

func (r appointed) Before(a, b *Candidate) bool {
	if x := r.acts(a); x != r.acts(b) {
		return x
	}
	return before(a, b)
}

func (r appointed) Holders(queue Queue) int {
	if queue.Len() == 0 || !r.acts(queue.At(0)) {
		return 0
	}
	return 1
}

// Target: nobody can tell from the names alone.
func (appointed) Target(own string, children []string, _ func(string) bool) Target {
	t := held(own, children, true)
	t.Leads = false
	return t
}

// brokerState reads what a broker of ActiveMQ says of itself, nil for other data.
func brokerState(z *znode.Znode) map[string]any {
	o := object(z.Data)
	_, elects := o["elected"]
	_, counts := o["position"]
	if id, _ := o["id"].(string); id == "" || !elects || !counts {
		return nil
	}
	return o
}

// brokerAddress is where a broker serves, once it leads, "" before.
func brokerAddress(z *znode.Znode) string {
	address, _ := brokerState(z)["address"].(string)
	return address
}

func broker(c *Candidate, _ string) string {
	if _, address, ok := strings.Cut(brokerAddress(&c.Znode), "://"); ok {
		return address
	}
	if id, _ := brokerState(&c.Znode)["id"].(string); id != "" {
		return id + " (standby)"
	}
	return ""
}

// brokers doubts a group of ActiveMQ: brokers of another id elect for themselves, and
// only the lowest member's word counts.
func brokers(queue Queue) Doubt {
	var lowest *Candidate
	ids := make(map[any]bool)
	for _, c := range queue.All() {
		if c.Unread {
			continue
		}
		ids[brokerState(&c.Znode)["id"]] = true
		if lowest == nil || before(c, lowest) {
			lowest = c
		}
	}
	switch {
	case len(ids) > 1:
		return SeveralElections
	case lowest == nil:
		return ""
	}
	// The name of a member is 0 and its number.
	elected, _ := brokerState(&lowest.Znode)["elected"].(string)
	if first := queue.At(0); elected == "" || first.Name != "0"+elected || brokerAddress(&first.Znode) == "" {
		return NotElected
	}
	return ""
}
