package lessons_test

import (
	"slices"
	"strings"
	"testing"

	"electop/demo/lessons"
	"electop/model/lesson"
)

// Who skips everything, wants all hints and goes back after each part, gets
// to the end of each lesson all the same; it is not held to be learnt.
func TestSkipping(t *testing.T) {
	all, err := lessons.All()
	must(t, err)
	enter(t, func(t *testing.T, h *theatre) {
		for _, l := range all {
			h.begin(t, l)
			inputs := 0
			try := func(in lesson.Input) bool {
				inputs++
				return h.input(in, 0) == ""
			}
			for furthest := 0; !h.view().Done; {
				if inputs > 20*len(l.Parts) {
					t.Fatalf("%s: no end: %+v", l.ID, h.view())
				}
				for try(lesson.Hint) {
				}
				h.look(t, h.view())
				if v := h.view(); v.Part > furthest {
					furthest = v.Part
					if try(lesson.Back) != (v.Part > 1) {
						t.Errorf("%s: back from part %d: %+v", l.ID, v.Part, h.view())
					}
				}
				if !try(lesson.Skip) {
					t.Fatalf("%s: no skipping: %+v", l.ID, h.view())
				}
			}
			if v := h.view(); !v.Skipped || v.Part != len(l.Parts) {
				t.Errorf("%s: %+v", l.ID, v)
			}
		}
	})
}

// Who does something else than what was asked for is told so, and can go on.
func TestStraying(t *testing.T) {
	all, err := lessons.All()
	must(t, err)
	crash := all[slices.IndexFunc(all, func(l *lesson.Lesson) bool { return l.ID == "crash" })]
	enter(t, func(t *testing.T, h *theatre) {
		h.begin(t, crash)
		h.input(lesson.Next, 0)
		h.input(lesson.Answer, 0)
		h.press(t, "x", "delta", "")
		h.await(t, "it is said that delta was not meant", func(v lesson.View) bool {
			return v.Stuck == "You chose delta; this step needs amber. Try again with amber."
		})
		h.press(t, "x", "amber", "") // where d was asked for: the handoff comes all the same, and late
		h.await(t, "it is said that amber was to resign", func(v lesson.View) bool {
			return strings.HasPrefix(v.Stuck, "amber was killed. This step needs something else. Press <")
		})
		h.input(lesson.Back, 0)
		h.await(t, "it is said that amber is dead", func(v lesson.View) bool { return strings.HasPrefix(v.Stuck, "amber is dead") })
		h.await(t, "birch is meant", func(v lesson.View) bool {
			return v.Stuck == "" && v.Question == "birch resigns. For how long does nobody lead?"
		})
	})
}
