package model_test

import (
	"fmt"
	"testing"
	"time"

	"electop/model"
	"electop/model/internal/modeltest"
)

func TestSteps(t *testing.T) {
	s := modeltest.NewScript(t, model.Config{})
	say := func(m model.Member, gone bool) {
		s.Apply(&model.Cast{At: s.Tree.Now, Member: m, Gone: gone})
	}
	amber := model.Member{ID: "a", Name: "amber", Belief: model.Volunteering}
	say(amber, false) // no step yet
	amber.Step, amber.StepAt, amber.StepOn = model.StepCreate, s.Tree.Now, model.StepOn{Name: "1f…-n_"}
	say(amber, false)
	s.After(time.Second)
	amber.ExpiresFrom = s.Tree.Now // the same step, told again
	say(amber, false)
	amber.StepAt = amber.StepAt.In(time.FixedZone("elsewhere", 3600))
	say(amber, false)
	amber.StepOn = model.StepOn{Found: true}
	say(amber, false)
	say(model.Member{ID: "b", Name: "birch", Step: model.StepCreate, StepOn: model.StepOn{Name: "2e…-n_"}}, false) // at a time not told
	amber.Step, amber.StepAt, amber.StepOn = model.StepList, s.Tree.Now, model.StepOn{Children: []string{"0"}}
	say(amber, false)
	s.After(time.Second)
	amber.StepAt = s.Tree.Now // the same once more
	say(amber, false)
	amber.Belief, amber.Step, amber.StepOn, amber.Reason = model.Lost, model.StepNone, model.StepOn{}, "session expired"
	say(amber, false)
	say(amber, true)
	amber.Step, amber.StepAt, amber.StepOn = model.StepCreate, s.Tree.Now, model.StepOn{Name: "3d…-n_"} // of that ID again
	say(amber, false)
	amber.Step, amber.StepOn = model.StepList, model.StepOn{Children: []string{"0", "1"}}
	say(amber, true) // its last word

	var got []string
	for _, x := range s.J.State().Steps {
		got = append(got, fmt.Sprint(x.N, " ", x.At.Sub(modeltest.Start), " ", x.Member, " ", x.Name, " ", int(x.Step), fmt.Sprintf(" %+v", x.On)))
	}
	s.Want(got,
		"1 0s a amber 1 {Name:1f…-n_ Found:false Children:[] More:0}", "2 0s a amber 1 {Name: Found:true Children:[] More:0}", "3 1s b birch 1 {Name:2e…-n_ Found:false Children:[] More:0}", "4 1s a amber 2 {Name: Found:false Children:[0] More:0}",
		"5 2s a amber 2 {Name: Found:false Children:[0] More:0}", "6 2s a amber 1 {Name:3d…-n_ Found:false Children:[] More:0}", "7 2s a amber 2 {Name: Found:false Children:[0 1] More:0}")
}

func TestStepsMax(t *testing.T) {
	s := modeltest.NewScript(t, model.Config{})
	const n = 3*model.StepsMax + 11
	for i := range n {
		s.After(time.Millisecond)
		s.Apply(&model.Cast{At: s.Tree.Now, Member: model.Member{ID: fmt.Sprint(i % 7), Step: model.StepList, StepAt: s.Tree.Now}})
	}
	steps := s.J.State().Steps
	if len(steps) != model.StepsMax || cap(steps) > 2*model.StepsMax {
		t.Fatalf("%d steps are remembered, with room for %d", len(steps), cap(steps))
	}
	for i, x := range steps {
		if want := uint64(n - model.StepsMax + i + 1); x.N != want {
			t.Fatalf("step %d is numbered %d, want %d", i, x.N, want)
		}
	}
}
