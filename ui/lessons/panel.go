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

// lessonWidth is the longest line of a lesson: longer ones are hard to read.
const lessonWidth = 100

// news lists the sentences that a part gets while it continues, in order.
func news(v *lesson.View) [6]string {
	done := ""
	if v.Done {
		done = "Lesson complete. Space begins the next one, L opens the menu."
		if v.Skipped {
			done = "Lesson complete, except what was skipped. Space begins the next one, L opens the menu."
		}
	}
	return [...]string{v.Do, v.Stuck, v.Happened, v.Verdict, v.Hint, done}
}

// paragraphs are the text of the lesson that is on, on lines of w cells;
// without the blank ones if it is not spaced.
func (c *Course) paragraphs(g *term.Glyphs, w int, spaced bool) (out [][]term.Span) {
	v := &c.View
	w = min(w, lessonWidth)
	// line adds a text with a sign before it. Keys in it are marked.
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
	// say is line, below a blank one, if there is a text.
	say := func(mark term.Span, st term.Style, text string, keys ...string) {
		if text == "" {
			return
		}
		if spaced && len(out) > 0 {
			out = append(out, nil)
		}
		if text == c.added {
			c.begins = len(out)
		}
		line(mark, st, text, keys...)
	}
	for _, text := range v.Text {
		say(term.Span{}, term.Text, text)
	}
	if v.Setting {
		say(term.Span{}, term.Muted, "Starting a new election for this lesson.")
	}
	say(term.Span{}, term.Strong, v.Question)
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
	say(do, term.Strong, v.Do, v.Keys...)
	if v.Stuck == "" && v.Waiting {
		line(term.Span{}, term.Muted, "Waiting for this to happen.")
	}
	say(term.Span{Style: term.Trouble, Text: g.Wrong}, term.Trouble, v.Stuck)
	good := term.Span{Style: term.Good, Text: g.Yes}
	say(good, term.Text, v.Happened)
	switch {
	case v.Chosen >= 0 && v.Chosen == v.Right:
		say(good, term.Good, v.Verdict)
	case v.Right >= 0:
		say(term.Span{Style: term.Trouble, Text: g.Killed}, term.Text, v.Verdict)
	default:
		say(term.Span{}, term.Text, v.Verdict)
	}
	say(term.Span{Style: term.Muted, Text: "hint"}, term.Text, v.Hint, v.Keys...)
	say(good, term.Strong, news(v)[5], "Space", "L")
	return out
}

// proseMax bounds a paragraph, in runes: the course's own are far shorter, but
// for the names that are put into them.
const proseMax = 1000

// prose is text in one line, its line ends as blanks.
func prose(text string) string {
	return znode.Safe(strings.Join(strings.Fields(text), " "), proseMax)
}

// keyCaps are the keys that do something, one after the other.
func keyCaps(keys []string) string { return znode.Safe(strings.Join(keys, " "), 60) }

// markKeys makes the words of a line that are keys stand out.
func markKeys(line string, st term.Style, keys []string) (out []term.Span) {
	plain := "" // up to the next key
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

// Lines are the text of the lesson that is on, on lines of w cells: spaced
// if room lines are enough for that.
func (c *Course) Lines(g *term.Glyphs, w, room int) [][]term.Span {
	lines := c.paragraphs(g, w, true)
	if len(lines) > room {
		lines = c.paragraphs(g, w, false)
	}
	if lines == nil {
		lines = [][]term.Span{nil}
	}
	return lines
}

// Settle takes the text of the lesson, as [Course.Lines] has it, and its place.
func (c *Course) Settle(lines [][]term.Span, r term.Rect) {
	c.place = r
	c.text.Settle(lines, r.H-2)
	if c.added != "" {
		c.text.From(c.begins)
		c.added = ""
	}
}

// Draw draws the lesson in its panel.
func (c Course) Draw(f *term.Frame, focused bool) {
	v := &c.View
	var tail []term.Span
	if c.text.Long() {
		key := "pgdn"
		if c.text.AtBottom() {
			key = "pgup"
		}
		first, last, of := c.text.InView()
		tail = append(tail, term.Span{Style: term.You, Text: fmt.Sprintf("%d-%d of %d, %s   ", first, last, of, key), Keep: 5})
	}
	tail = append(tail, term.Span{Style: term.Muted, Text: fmt.Sprintf("part %d of %d", v.Part, v.Parts), Keep: 4})
	title := fmt.Sprintf("Lesson %d of %d: %s", v.Number, v.Of, znode.Safe(v.Title, 60))
	c.text.Draw(f.Box(c.place, term.Cut(title, max(8, c.place.W-term.SpansWidth(tail)-12)), focused, tail...))
}

// Status says what to do now if the lesson's own text does not fit, "" if it does.
func (c *Course) Status() string {
	v := &c.View
	switch asks := v.Question != "" && v.Chosen < 0 && !v.Waiting; {
	case !c.text.Long():
	case c.unread() && (v.CanNext || v.Done):
		return "space reads on"
	case v.Done:
		return "lesson complete: space begins the next one, L opens the menu"
	case v.CanNext:
		return "space goes on"
	case v.Stuck != "":
		return prose(v.Stuck)
	case asks:
		return "1-" + strconv.Itoa(len(v.Options)) + " answers: " + prose(v.Question)
	case v.Do != "":
		return keyCaps(v.Keys) + ": " + prose(v.Do)
	}
	return ""
}
