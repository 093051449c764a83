package action

import (
	"context"
	"errors"
)

// Acts are what a dashboard can do. Live, demo and replay each provide a table.
type Acts struct {
	Of    map[Kind]Act
	Other string // why all other kinds cannot be done
}

// Act does the actions of one kind.
type Act struct {
	// Why returns why an action cannot be done now, and what to do instead; "" if it can.
	// Nil: it always can. It is called for each key of each frame.
	Why func(Action) string
	Do  func(Action) error
}

// If returns a Why with one reason, which holds while is returns true.
func If(is func() bool, why string) func(Action) string {
	return func(Action) string {
		if is() {
			return why
		}
		return ""
	}
}

// Why returns why a cannot be done now, "" if it can.
func (t Acts) Why(a Action) string {
	act, ok := t.Of[a.Kind]
	switch {
	case !ok:
		return t.Other
	case act.Why != nil:
		return act.Why(a)
	}
	return ""
}

// Do does a, unless Why returns a reason.
func (t Acts) Do(_ context.Context, a Action) error {
	if why := t.Why(a); why != "" {
		return errors.New(why)
	}
	return t.Of[a.Kind].Do(a)
}
