package candidates

import (
	"fmt"
	"strconv"
	"strings"

	"electop/model"
	"electop/model/doctor"
	"electop/model/units"
	"electop/model/znode"
	"electop/ui/rows"
	"electop/ui/term"
	"electop/ui/wording"
)

// Panel is the panel of candidates.
type Panel struct {
	*List
	State     *doctor.State
	Focused   bool
	Zoomed    bool
	Pace      bool     // how slowly the server speaks is said here
	AsOf      string   // how old a stale picture is, "" for a true one
	Why       []string // why there is no queue to show; nil: there is one
	PointedAt string   // ID of the member that a lesson is about, "" for none
}

// Draw draws the panel in r: a zoomed crowd as a grid.
func (v *Panel) Draw(f *term.Frame, r term.Rect) {
	if v.asGrid(r) {
		v.drawGrid(f, r)
		return
	}
	v.drawCandidates(f, r)
}

// drawCandidates draws the queue: who leads, and who waits behind whom.
func (v *Panel) drawCandidates(f *term.Frame, r term.Rect) {
	s := v.State
	a := f.Box(r, "Candidates", v.Focused, v.tail(f)...)
	if words := v.Why; words != nil {
		y := f.Prose(a.Inset(1), 1, words)
		if s.Phase == model.Live && len(v.Rows.NoZnode) > 0 {
			v.drawWithout(f, a, y+1, a.Height()-y-1)
		}
		return
	}

	c := v.columnsFor(a.Width())
	v.drawColumnHeads(a, c)
	avail := a.Height() - 1
	t, troubled := v.worst()
	below := 0
	pace := ""
	if v.Pace {
		pace = wording.PaceLine(s)
	}
	if pace != "" {
		below++
	}
	if troubled {
		below += 2
	}
	without := 0
	if n := len(v.Rows.NoZnode); n > 0 {
		without = 1 + min(n, max(1, (avail-below)/3))
		below += without
	}
	n := v.Rows.Queued()
	deletions := v.deletions(f)
	gone := 0 // rows that are shown though their znodes are not there any more
	for i := range deletions {
		if !deletions[i].stands {
			gone++
		}
	}
	v.Page = max(1, min(n, avail-below-gone))
	v.scrollTo()
	herd := wording.FansIn(s)
	lines := v.lines(deletions, min(v.Page+gone, avail-below))
	for i, l := range lines {
		if l.row >= 0 {
			v.drawRow(f, a.Pen(1+i), c, l.row, herd)
		}
	}
	v.drawNotifications(f, a, c, 1, deletions, lines)
	if n == 0 {
		a.Pen(1).Gap(c.before()).Text(term.Muted, "no candidate matches the filter; esc clears it")
	}

	shown := max(len(lines), v.Page)
	y, spare := 1+shown, avail-below-shown
	if wording.Single(s) {
		for i, line := range term.Wrap("There is no queue here: "+znode.Safe(s.Path, 0)+" is the leader's own znode. Whoever creates it leads. electop cannot see who waits or who is next.", min(a.Width()-c.before()-2, 76)) {
			if i == 0 {
				y, spare = y+1, spare-1
			}
			if spare > 0 {
				a.Pen(y).Gap(c.before()).Text(term.Muted, line)
				y, spare = y+1, spare-1
			}
		}
	}
	if pace != "" {
		p := a.Pen(y).Gap(4)
		p.Fit(p.Room()-1, term.You, pace)
		y++
	}
	blank := func() {
		if spare > 0 {
			y, spare = y+1, spare-1
		}
	}
	if without > 0 {
		blank()
		v.drawWithout(f, a, y, without)
		y += without
	}
	if troubled {
		blank()
		drawExpiry(f, a, y, t)
		y += 2
	}
	if spare >= 2 && s.NextSequenceKnown {
		blank()
		a.Pen(y).Gap(c.before()).Text(term.Muted, "next volunteer gets ").Text(term.Text, strconv.FormatUint(uint64(s.NextSequence), 10))
		y, spare = y+1, spare-1
	}
	if n := len(s.Ignored); n > 0 && spare >= 1 {
		names := make([]string, 0, 3)
		for _, c := range s.Ignored[:min(n, 3)] {
			names = append(names, znode.Safe(c.Name, rows.NameMax))
		}
		p := a.Pen(y).Gap(c.before()).Text(term.Muted, units.Count(n, "child", "children")+" ignored: ")
		p.Fit(p.Room()-1, term.Muted, strings.Join(names, ", "))
	}
}

// tail is what stands at the right of the panel's title.
func (v *Panel) tail(f *term.Frame) []term.Span {
	s := v.State
	var out []term.Span
	if old := v.AsOf; old != "" {
		out = append(out, term.Span{Style: term.Alarm, Text: old + "   ", Keep: 9})
	}
	if v.Pace {
		out = append(out, wording.PaceSpans(s)...)
	}
	if v.Filter != "" {
		out = append(out, term.Span{Style: term.You, Text: "/" + znode.Safe(v.Filter, rows.FilterMax), Keep: 7},
			term.Span{Style: term.Muted, Text: fmt.Sprintf("  %d of %d", v.Rows.Queued(), len(s.Queue)), Keep: 8})
		return out
	}
	if n := len(s.Ignored); n > 0 {
		out = append(out, term.Span{Style: term.Muted, Text: units.Count(n, "child", "children") + " ignored   ", Keep: 2})
	}
	if n := len(s.Queue); n > 0 {
		at := strconv.Itoa(n)
		if v.Index < n {
			at = strconv.Itoa(v.Index+1) + "/" + at
		}
		out = append(out, term.Span{Style: term.Muted, Text: at, Keep: 8})
	}
	return out
}

// scrollTo keeps the selected contender in view.
func (v *Panel) scrollTo() {
	n := v.Rows.Queued()
	at := v.Index
	if at >= n {
		at = v.top // a member without a znode is selected
	}
	v.top = term.Window(v.top, at, v.Page, n)
}
