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

// block is a part of a lesson's text that is added to it while the lesson goes on.
type block int

const (
	blockDo block = iota + 1
	blockStuck
	blockHappened
	blockVerdict
	blockHint
	blockDone
)

// added is the first block that is in a view and was not in the one before it, 0 for
// none.
func added(old, now *lesson.View) block {
	for _, b := range [...]struct {
		block    block
		old, now string
	}{
		{blockDo, old.Do, now.Do}, {blockStuck, old.Stuck, now.Stuck}, {blockHappened, old.Happened, now.Happened},
		{blockVerdict, old.Verdict, now.Verdict}, {blockHint, old.Hint, now.Hint},
	} {
		if b.now != "" && b.now != b.old {
			return b.block
		}
	}
	if now.Done && !old.Done {
		return blockDone
	}
	return 0
}

// paragraphs are the text of the lesson that is on, on lines of w cells;
// without the blank ones where it is not spaced.
func (c *Course) paragraphs(g *term.Glyphs, w int, spaced bool) [][]term.Span {
	v := &c.View
	w = min(w, lessonWidth)
	var out [][]term.Span
	begin := func(b block) {
		if b == c.added {
			c.begins = len(out)
		}
	}
	blank := func() {
		if spaced && len(out) > 0 {
			out = append(out, nil)
		}
	}
	// say adds a text with a sign before it. Keys in it are marked.
	say := func(mark term.Span, st term.Style, text string, keys ...string) {
		indent := 0
		if mark.Text != "" {
			indent = term.Width(mark.Text) + 1
		}
		for i, part := range term.Wrap(prose(text), w-indent) {
			before := []term.Span{{Style: term.Text, Text: term.Blanks(indent)}}
			if i == 0 && indent > 0 {
				before = []term.Span{mark, {Style: term.Text, Text: " "}}
			}
			out = append(out, append(before, markKeys(part, st, keys)...))
		}
	}
	for _, text := range v.Text {
		blank()
		say(term.Span{}, term.Text, text)
	}
	if v.Setting || c.Starting != "" {
		blank()
		say(term.Span{}, term.Muted, "Starting a new election for this lesson.")
		return out
	}
	if v.Question != "" {
		blank()
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
			key := term.Key
			if v.Chosen >= 0 {
				key = st
			}
			say(term.Span{Style: key, Text: sign + " " + strconv.Itoa(i+1)}, st, text)
		}
	}
	if v.Do != "" {
		blank()
		begin(blockDo)
		mark := term.Span{Style: term.Lead, Text: g.Step}
		if caps := keyCaps(v.Keys); caps != "" {
			mark = term.Span{Style: term.Badge, Text: caps}
		}
		say(mark, term.Strong, v.Do, v.Keys...)
	}
	if v.Stuck != "" {
		blank()
		begin(blockStuck)
		say(term.Span{Style: term.Trouble, Text: g.Wrong}, term.Trouble, v.Stuck)
	} else if v.Waiting {
		say(term.Span{}, term.Muted, "Waiting for this to happen.")
	}
	if v.Happened != "" {
		blank()
		begin(blockHappened)
		say(term.Span{Style: term.Good, Text: g.Yes}, term.Text, v.Happened)
	}
	if v.Verdict != "" {
		blank()
		begin(blockVerdict)
		switch {
		case v.Chosen >= 0 && v.Chosen == v.Right:
			say(term.Span{Style: term.Good, Text: g.Yes}, term.Good, v.Verdict)
		case v.Right >= 0:
			say(term.Span{Style: term.Trouble, Text: g.Killed}, term.Text, v.Verdict)
		default:
			say(term.Span{}, term.Text, v.Verdict)
		}
	}
	if v.Hint != "" {
		blank()
		begin(blockHint)
		say(term.Span{Style: term.Muted, Text: "hint"}, term.Text, v.Hint, v.Keys...)
	}
	if v.Done {
		blank()
		begin(blockDone)
		text := "Lesson complete."
		if v.Skipped {
			text = "Lesson complete, except what was skipped."
		}
		say(term.Span{Style: term.Good, Text: g.Yes}, term.Strong, text+" Space begins the next one, L opens the menu.", "Space", "L")
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
func markKeys(line string, st term.Style, keys []string) []term.Span {
	if len(keys) == 0 {
		return []term.Span{{Style: st, Text: line}}
	}
	var out []term.Span
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
		out = append(out, term.Span{Style: st, Text: plain + before}, term.Span{Style: term.Lead, Text: bare})
		plain = after
	}
	return append(out, term.Span{Style: st, Text: plain})
}

// Lines are the text of the lesson that is on, on lines of w cells: spaced
// where room lines are enough for that.
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
	if c.follow {
		c.text.From(c.begins)
		c.follow = false
	}
}

// Draw draws the lesson in its panel.
func (c Course) Draw(f *term.Frame, focused bool) {
	v, r := &c.View, c.place
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
	title := "Lesson"
	if v.Of > 0 {
		title = fmt.Sprintf("Lesson %d of %d", v.Number, v.Of)
	}
	if name := znode.Safe(v.Title, 60); name != "" {
		title += ": " + name
	}
	a := f.Box(r, term.Cut(title, max(8, r.W-term.SpansWidth(tail)-12)), focused, tail...)
	c.text.Draw(a)
}

// Status says what the student is to do where the lesson's own text does
// not fit, "" where it does.
func (c *Course) Status() string {
	v := &c.View
	if !c.text.Long() {
		return ""
	}
	switch {
	case v.Setting:
		return ""
	case c.Unread() && (v.CanNext || v.Done):
		return "space reads on"
	case v.Question != "" && v.Chosen < 0:
		return "1-" + strconv.Itoa(len(v.Options)) + " answers: " + prose(v.Question)
	case v.Stuck != "":
		return prose(v.Stuck)
	case v.Do != "":
		return strings.TrimSpace(keyCaps(v.Keys)) + ": " + prose(v.Do)
	case v.Done:
		return "lesson complete: space begins the next one, L opens the menu"
	case v.CanNext:
		return "space goes on"
	}
	return ""
}
