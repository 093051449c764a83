package layout

import "electop/ui/term"

// lessonMost is as many lines of a lesson as most parts need. How many the present one
// needs makes no difference, so that the panels keep their place.
const lessonMost = 18

// lessonHeight is how many of h lines a lesson gets: half at most, so that what it is
// about stays in view.
func lessonHeight(h int) int { return min(lessonMost+2, h/2) }

// LessonPlace is how wide a line of a lesson is on such a screen, and how many there is
// room for in its usual place.
func LessonPlace(w, h int, s Shape) (width, room int) {
	s.Lesson = true
	r := Arrange(w, h, s).Panel[Lesson]
	if r.Empty() { // behind the panel that fills the screen
		r = term.Rect{W: w, H: h - 3}
	}
	return r.W - 4, r.H - 2
}
