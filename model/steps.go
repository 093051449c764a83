package model

import (
	"slices"
	"time"
)

// Step is a line of the recipe as the screen shows it. The numbers are those
// of the recipe panel; 0 is none.
type Step int

const (
	StepNone        Step = iota
	StepCreate           // 1 create guid-n_, SEQUENCE|EPHEMERAL
	StepList             // 2 C := getChildren, i := my number
	StepWatch            // 3 watch n_j, the largest j < i in C
	StepListAgain        // 4 the watched znode was deleted: C := getChildren
	StepLowest           // 5 mine is the smallest: I lead
	StepWatchAgain       // 6 otherwise watch the new n_j
	StepLead             // 7 run the leader procedure
	StepAcknowledge      // 8 create the acknowledgement
)

// StepOn is what a step works on, as values; words are made where they are shown.
// What does not belong to the step is zero.
type StepOn struct {
	// Name is the znode: of a create its name without the sequence and with less
	// of the guid, of a watch the watched child, of an acknowledgement that znode.
	Name string `json:"name,omitempty"`
	// Found says that the reply to the create was lost, and the znode found by its
	// name.
	Found bool `json:"found,omitempty"`
	// Children are the first of the list C, at most [ListedMax], in the order of
	// their numbers; More is how many more there were.
	Children []string `json:"children,omitempty"`
	More     int      `json:"more,omitempty"`
}

// ListedMax is how many children a step names.
const ListedMax = 8

// Equal reports whether nothing differs.
func (o StepOn) Equal(x StepOn) bool {
	return o.Name == x.Name && o.Found == x.Found && o.More == x.More && slices.Equal(o.Children, x.Children)
}

// IsZero reports whether nothing is known of what the step works on.
func (o StepOn) IsZero() bool { return o.Equal(StepOn{}) }

// StepTaken is a step of the recipe that one of our members took.
type StepTaken struct {
	N      uint64 // counts all steps up from 1
	At     time.Time
	Member string // [Member.ID]
	Name   string
	Step   Step
	On     StepOn // what it worked on
}

// StepsMax is how many steps a state remembers.
const StepsMax = 256

// stepped adds the step that a member reports. A report repeats the last step with
// any other change; old is the report before, nil for none.
func stepped(steps []StepTaken, o *Cast, old *Member) []StepTaken {
	m := &o.Member
	if m.Step == StepNone || old != nil && m.Step == old.Step && m.StepOn.Equal(old.StepOn) && m.StepAt.Equal(old.StepAt) {
		return steps
	}
	at := wall(m.StepAt)
	if m.StepAt.IsZero() {
		at = wall(o.At)
	}
	n := uint64(1)
	if len(steps) > 0 {
		n = steps[len(steps)-1].N + 1
	}
	return keep(steps, StepTaken{n, at, m.ID, m.Name, m.Step, m.StepOn}, StepsMax)
}
