package modeltest

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/znode"
)

// Script changes a tree, applies the reads of a watcher to a journal, and compares the events as text.
type Script struct {
	*testing.T
	Tree *Tree
	W    *Watcher
	J    *doctor.Journal
}

var Start = NewTree().Now

func NewScript(t *testing.T, cfg model.Config) *Script {
	tr := NewTree()
	tr.CreateParent(0)
	cfg.Path = cmp.Or(cfg.Path, "/e")
	s := &Script{t, tr, &Watcher{Tree: tr}, doctor.NewJournal(cfg)}
	s.Apply(&model.Connection{At: tr.Now, Link: model.Connected, Session: 9, Server: "127.0.0.1:2181"})
	return s
}

var Acked = model.Config{AckPath: "/leader", AckExpected: true}

func (s *Script) After(d time.Duration) { s.Tree.Now = s.Tree.Now.Add(d) }

func (s *Script) Apply(o model.Observation) []string {
	var out []string
	for _, e := range s.J.Apply(o) {
		out = append(out, Short(e))
	}
	return out
}

func (s *Script) Read() []string { return s.Apply(s.W.Read(false, false, nil)) }

func (s *Script) Join(session uint64) string {
	return s.Tree.Create("n_", true, session, fmt.Sprint("host", session))
}

func (s *Script) Ack(name string) []string {
	z := s.Tree.Children[name]
	return s.Apply(&model.Ack{
		At: s.Tree.Now, Presence: model.Present, Session: z.Session,
		Data: znode.NewData(model.AckData("/e/"+name, z.Czxid)),
	})
}

func (s *Script) Advance() []string { return s.Apply(&model.Advance{At: s.Tree.Now}) }

func (s *Script) Want(got []string, want ...string) {
	s.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		s.Errorf("events:\n\t%s\nwant:\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// Short formats an event. The name n_0000000012 becomes "12.".
func Short(e model.Event) string {
	name := func(c *dialect.Candidate) string {
		if c == nil {
			return "nobody"
		}
		return strings.TrimLeft(strings.TrimPrefix(c.Name, "n_"), "0") + "."
	}
	var s string
	switch b := e.Body.(type) {
	case doctor.Snapshot:
		s = fmt.Sprintf("state %s %d", b.State.Phase, b.State.Queue.Len()+len(b.State.Ignored))
	case model.Joined:
		s = "joined " + name(b.Candidate)
	case model.Left:
		s = "left " + name(b.Candidate)
	case model.Missed:
		s = fmt.Sprint("missed ", b.Creates, " ", b.Deletes, " ", b.Known)
	case model.Acknowledged:
		s = fmt.Sprint("acknowledged ", name(b.Handoff.To), " takeover ", *b.Handoff.Takeover)
	case model.LinkChanged:
		s = fmt.Sprint("link ", b.Link)
	case model.Handoff:
		s = fmt.Sprintf("handoff %s > %s %s", name(b.From), name(b.To), b.Cause)
		for _, d := range []struct {
			name string
			*time.Duration
		}{{"silent", b.Silent}, {"takeover", b.Takeover}, {"vacant", b.Vacant}} {
			if d.Duration != nil {
				s += fmt.Sprint(" ", d.name, " ", d.Duration)
			}
		}
	}
	return fmt.Sprintf("%d %v %s", e.N, e.At.Sub(Start), s)
}

func (s *Script) Cast(id string, belief model.Belief, fault model.Fault, session uint64) {
	s.Apply(&model.Cast{At: s.Tree.Now, Member: model.Member{ID: id, Belief: belief, Fault: fault, Session: session, Znode: "n"}})
}

func (s *Script) Add(name string, session uint64, data string) string {
	return s.Tree.Create(name, true, session, data)
}
