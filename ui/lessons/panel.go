package lessons

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"electop/model/lesson"
	"electop/model/znode"
	"electop/ui/term"
)

const (
	lessonWidth  = 100  // longer lines are hard to read
	proseMax     = 1000 // bound for a text, because the names in it may be long
	messagesHeld = "Messages are held: press . or ]"
)

// additions lists, in order, the paragraphs that the panel may add while a part of the lesson runs.
func additions(v *lesson.View) [6]string {
	do, done := v.Do, ""
	if do != "" && !v.Acted {
		do = "Your turn. " + do
	}
	if v.Done {
		done = "Lesson complete. Space begins the next one, L opens the menu."
		if v.Skipped {
			done = "Lesson complete, except what was skipped. Space begins the next one, L opens the menu."
		}
	}
	return [...]string{do, v.Stuck, v.Feedback, v.Happened, v.Hint, done}
}

func (p *Panel) paragraphs(g *term.Glyphs, w int, spaced bool) (out [][]term.Span) {
	v := &p.View
	w = min(w, lessonWidth)
	line := func(mark term.Span, st term.Style, text string, keys ...string) {
		indent := 0
		if mark.Text != "" {
			indent = term.Width(mark.Text) + 1
		}
		for _, part := range term.Wrap(prose(text), w-indent) {
			gap := term.Span{Style: term.Text, Text: term.Blanks(indent - term.Width(mark.Text))}
			out = append(out, append([]term.Span{mark, gap}, markKeys(part, st, keys)...))
			mark.Text = ""
		}
	}
	para := func(mark term.Span, st term.Style, text string, keys ...string) {
		if text == "" {
			return
		}
		if spaced && len(out) > 0 {
			out = append(out, nil)
		}
		if text == p.added {
			p.begins = len(out)
		}
		line(mark, st, text, keys...)
	}
	for _, text := range v.Text {
		para(term.Span{}, term.Text, text)
	}
	if v.Preparing {
		para(term.Span{}, term.Muted, "Starting a new election for this lesson.")
	}
	para(term.Span{}, term.Strong, v.Question)
	for i, text := range v.Options {
		st, sign := term.Text, " "
		switch {
		case i == v.Right:
			st, sign = term.Good, g.Yes
		case i == v.Chosen && v.Right >= 0:
			st, sign = term.Trouble, g.Killed
		case i == v.Chosen:
			st, sign = term.Strong, g.Selected
		case v.Chosen >= 0:
			st = term.Muted
		}
		key := st
		if v.Chosen < 0 {
			key = term.Key
		}
		line(term.Span{Style: key, Text: sign + " " + strconv.Itoa(i+1)}, st, text)
	}
	do := term.Span{Style: term.Lead, Text: g.Step}
	if len(v.Keys) > 0 {
		do = term.Span{Style: term.Badge, Text: " " + keyCaps(v.Keys) + " "}
	}
	para(do, term.Strong, additions(v)[0], v.Keys...)
	switch {
	case v.Held:
		line(term.Span{}, term.You, messagesHeld)
	case v.Acted:
		line(term.Span{}, term.Muted, "Waiting for this to happen.")
	}
	para(term.Span{Style: term.Trouble, Text: g.Wrong}, term.Trouble, v.Stuck)
	good := term.Span{Style: term.Good, Text: g.Yes}
	switch {
	case v.Chosen >= 0 && v.Chosen == v.Right:
		para(good, term.Good, v.Feedback)
	case v.Right >= 0:
		para(term.Span{Style: term.Trouble, Text: g.Killed}, term.Text, v.Feedback)
	default:
		para(term.Span{}, term.Text, v.Feedback)
	}
	para(good, term.Text, v.Happened)
	para(term.Span{Style: term.Muted, Text: "hint"}, term.Text, v.Hint, v.Keys...)
	para(good, term.Strong, additions(v)[5], "Space", "L")
	return out
}

func prose(text string) string {
	return znode.Safe(strings.Join(strings.Fields(text), " "), proseMax)
}

func keyCaps(keys []string) string { return znode.Safe(strings.Join(keys, " "), 60) }

func markKeys(line string, st term.Style, keys []string) (out []term.Span) {
	plain := ""
	for _, word := range strings.SplitAfter(line, " ") {
		bare := strings.Trim(word, " ,.;:()`'\"")
		if bare == "" || !slices.Contains(keys, bare) {
			plain += word
			continue
		}
		before, after, _ := strings.Cut(word, bare)
		out = append(out, term.Span{Style: st, Text: plain + before}, term.Span{Style: term.Lead, Text: bare})
		plain = after
	}
	return append(out, term.Span{Style: st, Text: plain})
}

// Lines returns the lesson's text, with blank lines between paragraphs if there is room.
func (p *Panel) Lines(g *term.Glyphs, w, room int) [][]term.Span {
	lines := p.paragraphs(g, w, true)
	if len(lines) > room {
		lines = p.paragraphs(g, w, false)
	}
	if lines == nil {
		lines = [][]term.Span{nil}
	}
	return lines
}

// Settle stores the text from [Panel.Lines] and the panel's place.
func (p *Panel) Settle(lines [][]term.Span, r term.Rect) {
	p.place = r
	p.text.Settle(lines, r.H-2)
	if p.added != "" {
		p.text.From(p.begins)
		p.added = ""
	}
}

// Draw draws the lesson in its panel.
func (p Panel) Draw(f *term.Frame, focused bool) {
	v := &p.View
	var tail []term.Span
	if p.text.Long() {
		key := "pgdn"
		if p.text.AtBottom() {
			key = "pgup"
		}
		first, last, of := p.text.InView()
		tail = append(tail, term.Span{Style: term.You, Text: fmt.Sprintf("%d-%d of %d, %s   ", first, last, of, key), Keep: 5})
	}
	tail = append(tail, term.Span{Style: term.Muted, Text: fmt.Sprintf("part %d of %d", v.Part, v.Parts), Keep: 4})
	title := fmt.Sprintf("Lesson %d of %d: %s", v.Number, v.Of, znode.Safe(v.Title, 60))
	p.text.Draw(f.Box(p.place, term.Cut(title, max(8, p.place.W-term.SpansWidth(tail)-12)), focused, tail...))
}

// Status returns what the user can do now, or why the part is stuck. It returns "" if the text fits in the panel.
func (p *Panel) Status() string {
	v := &p.View
	switch {
	case !p.text.Long():
	case p.unread() && (v.CanNext || v.Done):
		return "press space to read on"
	case v.Done:
		return "lesson complete: space begins the next one, L opens the menu"
	case v.CanNext:
		return "press space to go on"
	case v.Stuck != "":
		return prose(v.Stuck)
	case v.Held:
		return messagesHeld
	case unanswered(v):
		return "press 1-" + strconv.Itoa(len(v.Options)) + ": " + prose(v.Question)
	case v.Do != "":
		return keyCaps(v.Keys) + ": " + prose(v.Do)
	}
	return ""
}
