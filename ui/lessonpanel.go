package ui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"electop/model/znode"
)

// lessonWidth is the longest line of a lesson: longer ones are hard to read.
const lessonWidth = 100

// lessonLines are the text of the lesson that is on, on lines of w cells;
// without the blank ones where it is not spaced.
func (d *dashboard) lessonLines(th *theme, w int, spaced bool) [][]span {
	v, g := &d.course.view, &th.glyph
	w = min(w, lessonWidth)
	var out [][]span
	blank := func() {
		if spaced && len(out) > 0 {
			out = append(out, nil)
		}
	}
	// say adds a text with a sign before it. Keys in it are marked.
	say := func(mark span, st style, text string, keys ...string) {
		indent := 0
		if mark.text != "" {
			indent = width(mark.text) + 1
		}
		for i, part := range wrap(prose(text), w-indent) {
			before := []span{{styleText, blanks(indent), 0}}
			if i == 0 && indent > 0 {
				before = []span{mark, {styleText, " ", 0}}
			}
			out = append(out, append(before, markKeys(part, st, keys)...))
		}
	}
	for _, text := range v.Text {
		blank()
		say(span{}, styleText, text)
	}
	if v.Setting || d.course.starting != "" {
		blank()
		say(span{}, styleMuted, "The scene is being built: the demo starts afresh.")
		return out
	}
	if v.Question != "" {
		blank()
		say(span{}, styleStrong, v.Question)
		for i, text := range v.Options {
			st, sign := styleText, " "
			switch {
			case i == v.Right:
				st, sign = styleGood, g.Yes
			case i == v.Chosen && v.Right >= 0:
				st, sign = styleTrouble, g.Killed
			case i == v.Chosen:
				st, sign = styleStrong, g.Selected
			case v.Chosen >= 0:
				st = styleMuted
			}
			key := styleKey
			if v.Chosen >= 0 {
				key = st
			}
			say(span{key, sign + " " + strconv.Itoa(i+1), 0}, st, text)
		}
	}
	if v.Do != "" {
		blank()
		mark := span{styleLead, g.Step, 0}
		if caps := keyCaps(v.Keys); caps != "" {
			mark = span{styleBadge, caps, 0}
		}
		say(mark, styleStrong, v.Do, v.Keys...)
	}
	if v.Stuck != "" {
		blank()
		say(span{styleTrouble, g.Wrong, 0}, styleTrouble, v.Stuck)
	} else if v.Waiting {
		say(span{}, styleMuted, "This goes on when it has happened in the election.")
	}
	if v.Happened != "" {
		blank()
		say(span{styleGood, g.Yes, 0}, styleText, v.Happened)
	}
	if v.Verdict != "" {
		blank()
		switch {
		case v.Chosen >= 0 && v.Chosen == v.Right:
			say(span{styleGood, g.Yes, 0}, styleGood, v.Verdict)
		case v.Right >= 0:
			say(span{styleTrouble, g.Killed, 0}, styleText, v.Verdict)
		default:
			say(span{}, styleText, v.Verdict)
		}
	}
	if v.Hint != "" {
		blank()
		say(span{styleMuted, "hint", 0}, styleText, v.Hint, v.Keys...)
	}
	if v.Done {
		blank()
		text := "The lesson is through."
		if v.Skipped {
			text = "The lesson is through, but for what was skipped."
		}
		say(span{styleGood, g.Yes, 0}, styleStrong, text+" Space begins the next one, L has the menu.", "Space", "L")
	}
	return out
}

// proseMax bounds a paragraph, in runes: the course's own are far shorter, but
// for the names that are put into them.
const proseMax = 1000

// prose is text in one line, its line ends as blanks.
func prose(text string) string {
	return znode.Safe(strings.Join(strings.Fields(text), " "), proseMax)
}

// keyCaps are the keys as they lie on a keyboard.
func keyCaps(keys []string) string {
	var b strings.Builder
	for i, k := range keys {
		if i > 0 {
			b.WriteByte(' ')
		}
		if k == " " {
			k = "space"
		}
		b.WriteString(znode.Safe(k, 12))
	}
	if b.Len() == 0 {
		return ""
	}
	return " " + b.String() + " "
}

// markKeys makes the words of a line that are keys stand out.
func markKeys(line string, st style, keys []string) []span {
	if len(keys) == 0 {
		return []span{{st, line, 0}}
	}
	var out []span
	plain := ""
	for i, word := range strings.Split(line, " ") {
		if i > 0 {
			plain += " "
		}
		bare := strings.Trim(word, ",.;:()`'\"")
		if bare == "" || !slices.Contains(keys, bare) {
			plain += word
			continue
		}
		before, after, _ := strings.Cut(word, bare)
		out = append(out, span{st, plain + before, 0}, span{styleLead, bare, 0})
		plain = after
	}
	return append(out, span{st, plain, 0})
}

// lessonFor is the text of the lesson that is on for a screen of that size,
// nil for none: spaced where half of the screen is enough for that.
func (d *dashboard) lessonFor(th *theme) [][]span {
	if !d.learning() {
		return nil
	}
	inside := d.w - 4
	lines := d.lessonLines(th, inside, true)
	if len(lines) > lessonRoom(d.h, d.zoomed && d.focus == panelHandoffs) {
		lines = d.lessonLines(th, inside, false)
	}
	if lines == nil {
		lines = [][]span{nil}
	}
	return lines
}

// drawLesson draws the lesson in place of the handoffs.
func (d *dashboard) drawLesson(f *frame, r rect, lines [][]span) {
	c := &d.course
	v := &c.view
	t := &c.text
	lay(t, lines, r.h-2)
	if c.follow {
		t.GotoBottom()
		c.follow = false
	}
	var tail []span
	if n := len(lines); n > t.Height {
		key := "pgdn"
		if t.AtBottom() {
			key = "pgup"
		}
		tail = append(tail, span{styleYou, fmt.Sprintf("%d-%d of %d, %s   ", t.YOffset+1, t.YOffset+t.Height, n, key), 5})
	}
	tail = append(tail, span{styleMuted, fmt.Sprintf("part %d of %d", v.Part, v.Parts), 4})
	title := "Lesson"
	if v.Of > 0 {
		title = fmt.Sprintf("Lesson %d of %d", v.Number, v.Of)
	}
	if name := znode.Safe(v.Title, 60); name != "" {
		title += ": " + name
	}
	a := f.box(r, cut(title, max(8, r.w-spansWidth(tail)-12)), d.focus == panelHandoffs, tail...)
	drawText(a, t, lines)
}

// lessonStatus says what the student is to do where the lesson's own text does
// not fit, "" where it does.
func (d *dashboard) lessonStatus() string {
	c := &d.course
	v := &c.view
	if !d.learning() || !c.long() || d.front() != modeNormal {
		return ""
	}
	switch {
	case v.Setting:
		return ""
	case v.Question != "" && v.Chosen < 0:
		return "1-" + strconv.Itoa(len(v.Options)) + " answers: " + prose(v.Question)
	case v.Stuck != "":
		return prose(v.Stuck)
	case v.Do != "":
		return strings.TrimSpace(keyCaps(v.Keys)) + ": " + prose(v.Do)
	case v.Done:
		return "the lesson is through: space begins the next one, L has the menu"
	case v.CanNext:
		return "space goes on"
	}
	return ""
}
