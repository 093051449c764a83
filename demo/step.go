package demo

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"electop/demo/zkserver"
	"electop/model"
	"electop/model/units"
	"electop/model/znode"
)

// Step releases one message or, if none is held, skips the wait until the session
// of a silent client expires. It returns in words what it did. If the pace has no
// steps yet, Step only starts to hold messages.
func (s *Stage) Step() (did string, err error) {
	if !s.Pace().Steps {
		s.SetPace(zkserver.Pace{Steps: true})
		return "step by step: each reply and notification is held until you release it", nil
	}
	if m, ok := s.cfg.Server.Step(); ok {
		return s.released(message(m)), nil
	}
	m, at, ok := s.nextToExpire()
	if !ok {
		return "no message is held, and no session is about to expire", nil
	}
	rest := max(0, at.Sub(s.cfg.Now()))
	if err := s.expire(m); err != nil {
		return "", err
	}
	return fmt.Sprintf("skipped %s: %s's session expires now", units.Took(rest), znode.Safe(m.ID, 40)), nil
}

// nextToExpire returns the silent candidate of electop whose session expires first,
// and when.
func (s *Stage) nextToExpire() (first model.Member, at time.Time, ok bool) {
	for _, m := range s.known() {
		if m.Fault == model.NoFault || m.Session == 0 {
			continue
		}
		end, _, lives := s.cfg.Server.Deadline(int64(m.Session))
		if lives && (!ok || end.Before(at) || end.Equal(at) && m.ID < first.ID) {
			first, at, ok = m, end, true
		}
	}
	return first, at, ok
}

// released describes a message and its receiver.
func (s *Stage) released(m model.Message) string {
	who := fmt.Sprintf("session %#x", m.Session)
	for _, p := range s.known() {
		if p.Session == m.Session {
			who = znode.Safe(p.ID, 40)
		}
	}
	of := s.short(m.Path)
	if m.Event != "" || m.Op == "notification" {
		switch m.Event {
		case "children":
			return fmt.Sprintf("%s is notified: the children of %s changed", who, of)
		case "":
			return who + " is notified: its connection changed"
		}
		return fmt.Sprintf("%s is notified: %s was %s", who, of, m.Event)
	}
	words := "reply to " + who + ": " + m.Op
	if m.Path != "" && m.Path != s.cfg.Path {
		words += " " + of
	}
	if m.Err != "" {
		words += ", " + m.Err
	}
	return words
}

// short names a znode as the screen does: one of the election by its number.
func (s *Stage) short(path string) string {
	name, in := strings.CutPrefix(path, s.cfg.Path+"/")
	if !in {
		return znode.Safe(path, 60)
	}
	if n, ok := znode.Sequence(name); ok {
		return strconv.FormatInt(n, 10)
	}
	return znode.Safe(name, 60)
}
