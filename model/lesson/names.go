package lesson

import "slices"

// names are the roles that a part names.
type names struct {
	// needed have to be somebody before the act can be asked for.
	needed []Role
	all    []Role
}

// names returns the roles that the part names.
func (p *Part) names() names {
	var n names
	put := func(to *[]Role, role Role) {
		if lacking[role] != "" && role != Newcomer && !slices.Contains(*to, role) {
			*to = append(*to, role)
		}
	}
	text := func(to *[]Role, text string) {
		found, _ := placeholders(text)
		for _, name := range found {
			if role, _, ok := roleOf(name); ok {
				put(to, role)
			}
		}
	}
	condition := func(c *Condition) {
		if c == nil {
			return
		}
		put(&n.needed, c.Who)
		put(&n.needed, c.To)
		put(&n.needed, c.Notified)
	}
	said := slices.Concat(p.Text, p.Hints, []string{p.After})
	if a := p.Act; a != nil {
		put(&n.needed, a.Target)
		text(&n.needed, a.Do)
		for i := range a.Until {
			condition(&a.Until[i])
		}
	}
	if q := p.Question; q != nil {
		text(&n.needed, q.Ask)
		for i := range q.Options {
			text(&n.needed, q.Options[i].Text)
			condition(q.Options[i].If)
			said = append(said, q.Options[i].Wrong)
		}
		said = append(said, q.Right, q.Wrong)
	}
	n.all = slices.Clone(n.needed)
	for _, t := range said {
		text(&n.all, t)
	}
	return n
}
