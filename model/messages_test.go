package model_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"electop/model"
	"electop/model/internal/modeltest"
)

func exchangeTexts(s *modeltest.Script) (out []string) {
	for _, x := range s.J.State().Exchanges {
		text := fmt.Sprint(x.N, " ", x.Op, " ", x.Session, " ", x.Left.Sub(modeltest.Start))
		for _, part := range []struct {
			on   bool
			text string
		}{
			{x.Member != "", x.Member}, {x.Dropped, "dropped"}, {x.Lost, "lost"}, {x.Fault != "", string(x.Fault)},
			{x.Before > 0, fmt.Sprint("after ", x.Before)}, {x.Fast, "after full speed"},
		} {
			if part.on {
				text += " " + part.text
			}
		}
		out = append(out, text)
	}
	return out
}

func TestExchanges(t *testing.T) {
	s := modeltest.NewScript(t, model.Config{})
	n := 0
	pass := func(session uint64, op string, dropped bool, unlisted int) {
		n++
		p := model.Passed{Message: model.Message{Session: session, N: n, Since: s.Tree.Now.Add(-time.Second), Op: op}, Left: s.Tree.Now, Dropped: dropped}
		s.Apply(&model.Pace{At: s.Tree.Now, Steps: true, Unlisted: unlisted, Passed: []model.Passed{p}})
	}
	report := func(m model.Member, gone bool) { s.Apply(&model.Cast{At: s.Tree.Now, Member: m, Gone: gone}) }
	amber := model.Member{ID: "a", Session: 1, Znode: "n_0"}
	report(amber, false)
	pass(1, "getChildren", false, 0)
	pass(8, model.Notification, false, 0) // to a third-party client
	amber.Fault, amber.FaultAt = model.Frozen, s.Tree.Now.Add(time.Second)
	report(amber, false)
	pass(1, "getData", false, 0)
	s.After(2 * time.Second)
	pass(1, model.Notification, false, 0)
	amber.Fault, amber.FaultAt = model.NoFault, time.Time{}
	report(amber, false)
	report(amber, true)
	pass(1, "closeSession", true, 0)
	n = 8
	pass(2, "exists", false, 3)
	for _, steps := range []bool{true, false, true} {
		s.Apply(&model.Pace{At: s.Tree.Now, Steps: steps})
	}
	pass(2, "exists", false, 0)
	pass(2, "exists", false, 0)
	s.Want(exchangeTexts(s), "1 getChildren 1 0s a", "2 notification 8 0s", "3 getData 1 0s a", "4 notification 1 2s a frozen",
		"5 closeSession 1 2s a dropped", "9 exists 2 2s after 3", "10 exists 2 2s after full speed", "11 exists 2 2s")
}

func TestLostReply(t *testing.T) {
	for _, memberFirst := range []bool{false, true} {
		t.Run(fmt.Sprint("member reports first: ", memberFirst), func(t *testing.T) {
			s := modeltest.NewScript(t, model.Config{})
			left := func(n int, op, err string) model.Passed {
				return model.Passed{Message: model.Message{Session: 1, N: n, Op: op, Err: err}, Left: s.Tree.Now}
			}
			report := func(loses bool) {
				s.Apply(&model.Cast{At: s.Tree.Now, Member: model.Member{ID: "a", Session: 1, LosesReply: loses}})
			}
			report(false)
			s.Apply(&model.Pace{At: s.Tree.Now, Steps: true, Passed: []model.Passed{left(1, "create", "")}})
			s.After(time.Second)
			report(true)
			s.Apply(&model.Pace{At: s.Tree.Now, Steps: true, Passed: []model.Passed{left(2, "getChildren", ""), left(3, "create", "NoNode")}})
			s.After(time.Second)
			sent := &model.Pace{At: s.Tree.Now, Steps: true, Passed: []model.Passed{left(4, "create", "")}}
			if memberFirst {
				s.After(time.Millisecond)
				report(false)
				s.Apply(sent)
			} else {
				s.Apply(sent)
				s.After(time.Millisecond)
				report(false)
			}
			s.After(time.Second)
			s.Apply(&model.Pace{At: s.Tree.Now, Steps: true, Passed: []model.Passed{left(5, "create", "")}})
			s.Want(exchangeTexts(s), "1 create 1 0s a", "2 getChildren 1 1s a", "3 create 1 1s a", "4 create 1 2s a lost", "5 create 1 3.001s a")
		})
	}
}

func TestExchangesMax(t *testing.T) {
	s := modeltest.NewScript(t, model.Config{})
	var before []model.Exchange
	const most = 3*model.ExchangesMax + 11
	for n := 1; n <= most; n++ {
		s.Apply(&model.Pace{At: s.Tree.Now, Passed: []model.Passed{{Message: model.Message{N: n, Session: 1, Op: "create"}, Left: s.Tree.Now}}})
		if n == most-5 {
			before = s.J.State().Exchanges
		}
	}
	kept := slices.Clone(before)
	clone := s.J.Clone()
	s.Apply(&model.Pace{At: s.Tree.Now, Passed: []model.Passed{{Message: model.Message{N: most + 1, Session: 1}, Left: s.Tree.Now}}})
	clone.Apply(&model.Pace{At: s.Tree.Now, Passed: []model.Passed{{Message: model.Message{N: 1, Session: 7}, Left: s.Tree.Now}}})
	now := s.J.State().Exchanges
	if len(now) != model.ExchangesMax || now[len(now)-1].N != most+1 || cap(now) > 2*model.ExchangesMax {
		t.Errorf("%d exchanges with capacity %d, last number %d; want %d, at most twice that, %d", len(now), cap(now), now[len(now)-1].N, model.ExchangesMax, most+1)
	}
	for i := range kept {
		if kept[i].N != before[i].N || kept[i].Lost != before[i].Lost {
			t.Fatalf("exchange %d of an older state changed", i)
		}
	}
}
