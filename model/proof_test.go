package model_test

import (
	"strings"
	"testing"

	"electop/model"
	"electop/model/internal/modeltest"
)

// No server is asked here: the znodes alone show that a session outlived one of its
// znodes.
func TestCausesByZnodes(t *testing.T) {
	cause := func(s *modeltest.Script, want model.Cause, evidence string) {
		t.Helper()
		h := s.J.State().Handoffs[0]
		if h.Cause != want || !strings.Contains(h.Evidence, evidence) {
			t.Errorf("%s: %s", h.Cause, h.Evidence)
		}
	}
	t.Run("it stands again in the same read", func(t *testing.T) {
		s := modeltest.NewScript(t, model.Config{})
		a := s.Join(1)
		s.Join(2)
		s.Read()
		s.Tree.Delete(a)
		again := s.Join(1)
		s.Read()
		cause(s, model.CauseDeleted, again)
	})
	t.Run("it stands again later", func(t *testing.T) {
		s := modeltest.NewScript(t, model.Config{})
		a := s.Join(1)
		s.Join(2)
		s.Read()
		s.Tree.Delete(a)
		s.Read()
		before := s.J.State()
		cause(s, model.CauseUnknown, "--admin")
		again := s.Join(1)
		s.Read()
		cause(s, model.CauseDeleted, again)
		if m := s.J.State().Handoffs[0].Measures()[0]; m.Why != model.NotSilent {
			t.Errorf("how long it was silent is not known because: %s", m.Why)
		}
		if before.Handoffs[0].Cause != model.CauseUnknown {
			t.Error("an old state changed")
		}
	})
	t.Run("another session stands", func(t *testing.T) {
		s := modeltest.NewScript(t, model.Config{})
		a := s.Join(1)
		s.Join(2)
		s.Read()
		s.Tree.Delete(a)
		s.Join(3)
		s.Read()
		s.Join(4)
		s.Read()
		cause(s, model.CauseUnknown, "--admin")
	})
	t.Run("it has another candidate", func(t *testing.T) {
		s := modeltest.NewScript(t, model.Config{})
		a := s.Join(1)
		s.Join(2)
		other := s.Join(1)
		s.Read()
		s.Tree.Delete(a)
		s.Read()
		cause(s, model.CauseDeleted, other)
	})
}
