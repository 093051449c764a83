package lesson

import "slices"

// roles returns the roles that the part names, and those that somebody has to have
// before the act can be asked for.
func (p *Part) roles() (all, needed []Role) {
	put := func(need bool, roles ...Role) {
		for _, role := range roles {
			if lacking[role] == "" || role == Newcomer {
				continue
			}
			if all = append(all, role); need && !slices.Contains(needed, role) {
				needed = append(needed, role)
			}
		}
	}
	texts := func(need bool, texts ...string) {
		for _, t := range texts {
			found, _ := placeholders(t)
			for _, name := range found {
				role, _, _ := roleOf(name)
				put(need, role)
			}
		}
	}
	texts(false, p.Text...)
	texts(false, p.After)
	if a := p.Act; a != nil {
		texts(false, a.Hints...)
		put(true, a.Target)
		texts(true, a.Do)
		for _, c := range a.Until {
			put(true, c.Who, c.To, c.Notified)
		}
	}
	if q := p.Question; q != nil {
		texts(true, q.Ask)
		texts(false, q.Hints...)
		texts(false, q.Right, q.Wrong)
		for _, o := range q.Options {
			texts(true, o.Text)
			texts(false, o.Wrong)
			if c := o.If; c != nil {
				put(true, c.Who, c.To, c.Notified)
			}
		}
	}
	return all, needed
}
