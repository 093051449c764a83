// Package candidates is the panel of candidates: who leads, in which order the others wait, and
// which znode each of them watches.
//
// A [Panel] keeps the selection, the filter and the scroll position. [Panel.Settle] takes a state
// and a size, computes the layout and scrolls to the selection. Keys move the selection in this
// layout. [Panel.Draw] changes nothing.
//
//	list.go      the rows, the filter and the selection
//	table.go     the queue as a table, with the members without a znode below it
//	deletion.go  a deleted znode and its notifications, in slow motion
//	grid.go      many candidates in the zoomed panel, as cells
package candidates

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/phrase"
	"electop/model/units"
	"electop/model/znode"
	"electop/ui/input"
	"electop/ui/term"
	"electop/ui/wording"
)

// Panel is the panel of candidates.
type Panel struct {
	list
	Shown
	place term.Rect
	shape
	grid grid
	next int // number of contenders that get the role next
}

// Shown holds what the panel shows.
type Shown struct {
	State     *doctor.State
	Focused   bool
	Zoomed    bool
	Pace      bool      // show the server's delay and held messages
	AsOf      string    // time of a stale state in words, "" for a current one
	Why       []string  // the text in place of the queue, nil to show the queue
	PointedAt string    // ID of the member that a lesson points at, "" for none
	Since     time.Time // start of the current lesson, zero for none; the table hides older deletions
	Past      bool      // time travel: the grid shows no slow motion
	StepLine  func(*doctor.State, model.Step, model.StepOn) string
}

// shape is the layout of the panel. It does not depend on the time, so that the length of a page
// stays the same while notifications move.
type shape struct {
	crowd   bool // drawn as a grid
	page    int  // rows of the queue in view; in a grid, the rows of a column
	below   int  // lines reserved below the queue
	pace    string
	without int // lines for members without a znode, with a heading
}

// Settle stores what to show and where, and scrolls to the selection.
func (v *Panel) Settle(x Shown, r term.Rect) {
	v.Shown, v.place = x, r
	tooMany := v.Rows.Len() > r.Inner().H-1 // for a table
	if x.Zoomed && tooMany && x.State.Phase == model.Live && x.State.Queue.Len() > 0 {
		v.settleGrid(r.Inner())
		v.shape = shape{crowd: true, page: v.grid.rows}
		return
	}
	v.shape = v.shapeIn(r.Inner())
	v.top = v.topFor(v.page)
}

// ShowsFirst reports whether the panel is a table of the complete queue, scrolled to its first row.
func (v *Panel) ShowsFirst() bool { return !v.crowd && !v.Rows.filtered && v.top == 0 }

// Move moves the selection by a row, a page, or to an end.
func (v *Panel) Move(do input.Command) {
	v.SelectRow(input.Moved(do, v.Index, v.Rows.Len()-1, v.page))
}

// Column moves the selection by a column of the grid, and reports whether it moved.
func (v *Panel) Column(do input.Command) bool {
	by := 1
	if do == input.CmdLeft {
		by = -1
	}
	to := v.Index + by*v.grid.rows
	if !v.crowd || to < 0 || to >= v.Rows.Len() {
		return false
	}
	v.SelectRow(to)
	return true
}

func (v *Panel) shapeIn(r term.Rect) shape {
	var x shape
	avail := r.H - 1
	if v.Pace {
		x.pace = wording.PaceLine(v.State)
	}
	if x.pace != "" {
		x.below++
	}
	if n := len(v.Rows.NoZnode); n > 0 {
		x.without = 1 + min(n, max(1, (avail-x.below)/3))
		x.below += x.without
	}
	x.page = max(1, min(v.Rows.Queued(), avail-x.below))
	return x
}

func (v *Panel) topFor(page int) int {
	at := v.Index
	if at >= v.Rows.Queued() {
		at = v.top // the selected member has no znode
	}
	return term.Window(v.top, at, page, v.Rows.Queued())
}

func (v *Panel) title() string { return wording.Capital(phrase.RoleOf(v.State).Many) }

// Draw draws the panel.
func (v Panel) Draw(f *term.Frame) {
	if v.crowd {
		v.drawGrid(f, f.Box(v.place, v.title(), true, v.tail()...))
		return
	}
	v.drawTable(f)
}

// drawTable may change v, which is a copy for this frame.
func (v *Panel) drawTable(f *term.Frame) {
	s := v.State
	a := f.Box(v.place, v.title(), v.Focused, v.tail()...)
	if words := v.Why; words != nil {
		y := f.Prose(a.Inset(1), 1, words)
		if (s.Phase == model.Live || phrase.Open(s)) && len(v.Rows.NoZnode) > 0 {
			v.drawWithout(f, a, y+1, a.Height()-y-1)
		}
		return
	}

	c := v.columnsFor(a.Width())
	last := map[bool]string{true: "watches"}[s.Dialect.Elects()]
	p := a.Pen(0).Gap(gutter).Right(c.seq, term.Muted, "seq").Fit(c.mode, term.Muted, " R/W").Gap(2).Fit(c.name, term.Muted, phrase.RoleOf(s).One)
	p.Column(c.session, term.Muted, "session").Column(c.client, term.Muted, "client")
	p.Gap(2).Right(c.age, term.Muted, "age").Gap(2).Fit(c.watches, term.Muted, last)
	avail := a.Height() - 1
	n := v.Rows.Queued()
	var deletions []deletion
	if !v.Rows.filtered {
		deletions = deletionsOf(f, s, v.Since)
	}
	deletedRows := 0
	for _, x := range deletions {
		if !x.listed {
			deletedRows++
		}
	}
	page := max(1, min(n, avail-v.below-deletedRows))
	v.top, v.next = v.topFor(page), len(s.Next())
	herd := wording.IsHerd(s)
	lines := v.lines(deletions, min(page+deletedRows, avail-v.below))
	links := v.links(v.top, v.top+page-1)
	for i, l := range lines {
		if l.row >= 0 {
			var edge link
			if k := l.row - v.top; k < len(links) {
				edge = links[k]
			}
			v.drawRow(f, a.Pen(1+i), c, l.row, herd, edge)
		}
	}
	top, all := a.Rect.Y+1, v.Rows
	f.Spots(term.Rect{X: a.Rect.X, Y: top, W: a.Width(), H: min(len(lines), a.Height()-1)}, func(_, y int) any {
		if l := lines[y-top]; l.row >= 0 {
			return all.At(l.row).Ref()
		}
		return nil
	})
	v.drawNotifications(f, a, c, deletions, lines)
	if n == 0 {
		a.Pen(1).Gap(c.nameStart()).Text(term.Muted, "no candidate matches the filter; esc clears it")
	}
	shown := max(len(lines), page)
	v.drawBelow(f, a, c, 1+shown, avail-v.below-shown)
}

// drawBelow draws what is below the queue, from line y on. spare counts the lines for less important text.
func (v *Panel) drawBelow(f *term.Frame, a term.Area, c columns, y, spare int) {
	s := v.State
	line := func() *term.Pen {
		p := a.Pen(y).Gap(c.nameStart())
		if spare > 0 {
			y, spare = y+1, spare-1
		}
		return p
	}
	if wording.Single(s) {
		line()
		text := "There is no queue here: " + znode.Safe(s.Path, 0) + " is the leader's own znode. Whoever creates it leads. " + wording.Sentence(wording.TakeOver(s))
		for _, part := range term.Lines(text, min(a.Width()-c.nameStart()-2, 76)) {
			if spare > 0 {
				line().Text(term.Muted, part)
			}
		}
	}
	if v.pace != "" {
		p := a.Pen(y).Gap(4)
		p.Fit(p.Room()-1, term.You, v.pace)
		y++
	}
	if v.without > 0 {
		line()
		v.drawWithout(f, a, y, v.without)
		y += v.without
	}
	if spare >= 2 && s.NextSequenceKnown && s.Dialect.Elects() && !dialect.Queueless(s.Recipe) {
		line()
		line().Text(term.Muted, "next "+phrase.RoleOf(s).One+" gets number ").Text(term.Text, strconv.FormatUint(uint64(s.NextSequence), 10))
	}
	if n := len(s.Ignored); n > 0 && spare >= 1 && s.Kind() != dialect.KindDouble { // the title describes the znode "ready"
		names := make([]string, 0, 3)
		for _, c := range s.Ignored[:min(n, 3)] {
			names = append(names, znode.Safe(c.Name, znode.NameMax))
		}
		p := line().Text(term.Muted, units.Count(n, "child", "children")+" ignored: ")
		p.Fit(p.Room()-1, term.Muted, strings.Join(names, ", "))
	}
}

func (v *Panel) tail() []term.Span {
	s := v.State
	var out []term.Span
	if old := v.AsOf; old != "" {
		out = append(out, term.Span{Style: term.Alarm, Text: old + "   ", Keep: 9})
	}
	if v.Pace {
		out = append(out, wording.PaceSpans(s)...)
	}
	if v.Filter != "" {
		return append(out, term.Span{Style: term.You, Text: "/" + znode.Safe(v.Filter, znode.NameMax), Keep: 7},
			term.Span{Style: term.Muted, Text: fmt.Sprintf("  %d of %d", v.Rows.Queued(), s.Queue.Len()), Keep: 8})
	}
	if s.Roleless() {
		out = append(out, term.Span{Style: term.Text, Text: phrase.Content(s) + "   ", Keep: 2})
	} else if n := len(s.Ignored); n > 0 {
		out = append(out, term.Span{Style: term.Muted, Text: units.Count(n, "child", "children") + " ignored   ", Keep: 2})
	}
	if n := s.Queue.Len(); n > 0 {
		at := strconv.Itoa(n)
		if v.Index < n {
			at = strconv.Itoa(v.Index+1) + "/" + at
		}
		out = append(out, term.Span{Style: term.Muted, Text: at, Keep: 8})
	}
	return out
}

const waitersMax = 12 // sessions listed for a barrier

// Explain returns why there is no queue to show, and what to do; nil if the queue can be shown. The
// first line is a heading.
func Explain(f *term.Frame, s *doctor.State, cluster string, spawns, campaigns bool) []string {
	path := znode.Safe(s.Path, 0)
	where := cmp.Or(znode.Safe(cluster, 64), "the cluster")
	switch {
	case s.Phase == model.Unseen && s.Link.Refused:
		return []string{"The servers refuse this client",
			"Last attempt: " + znode.Safe(s.Link.Err, 0),
			"electop tries again after pauses of up to 30 s: many attempts can lock an account.",
			"What to do: check the credentials (electop help authentication)."}
	case s.Phase == model.Unseen && s.Link.Link != model.Connected:
		lines := []string{"Not connected yet",
			"Waiting for " + where + ". The election appears as soon as a server answers."}
		if why := znode.Safe(s.Link.Err, 0); why != "" {
			lines = append(lines, "Last attempt: "+why)
		}
		return append(lines, "What to do: check the address and that the server runs. If you have no server, run electop demo.")
	case s.Phase == model.Unseen:
		return []string{"Connected, reading " + path,
			"The candidates appear as soon as the server has answered."}
	case s.Phase == model.NoParent && !phrase.Open(s):
		return []string{path + " does not exist",
			"An election is a znode whose children are the candidates. This one does not exist.",
			"Waiting for its creation: then its candidates appear here.",
			"What to do: check the path, start a candidate, or create it with --create."}
	case s.Phase == model.Forbidden:
		lines := []string{"Not allowed to list " + path,
			"Its ACL forbids this connection to read the children.",
			"Waiting for the ACL to change.",
			"What to do: connect with credentials that have READ on " + path + "."}
		if n := s.Queue.Len(); n > 0 {
			lines = append(lines, "At "+f.Clock(s.ReadAt)+" there were "+units.Count(n, "candidate", "candidates")+".")
		}
		return lines
	case s.Queue.Len() == 0 && wording.Single(s):
		return append([]string{"Nobody leads",
			"There is no queue here: " + path + " is the leader's own znode, and it does not exist.",
			"The next to create it leads. " + wording.Sentence(doctor.Could("lead", s.Standbys()))}, phrase.OutsideZnodes(s)...)
	case s.ElectionUnseen():
		return []string{"No election seen here", wording.Sentence(phrase.NoLeader(s).Sentence),
			"What to do: e shows the elections that a search finds. If this is an election's path, its candidates appear here."}
	case s.Queue.Len() == 0 && s.Roleless(), phrase.Unclear(s):
		_, words := wording.Headline(f, s, false, false, false)
		lines := []string{wording.Capital(words)}
		for _, id := range s.Waiters()[:min(len(s.Waiters()), waitersMax)] {
			line := znode.Hex(id) + " watches the znode"
			if x := s.Tracked.Client(id); x.Conn != nil {
				line += " from " + znode.Safe(strings.TrimPrefix(x.Conn.Addr, "/"), 64)
			}
			lines = append(lines, line)
		}
		return append(lines, cmp.Or(map[dialect.Kind]string{
			dialect.KindBarrier: map[bool]string{false: "Deleting the znode opens the barrier.", true: path + " does not exist. Creating it closes the barrier."}[phrase.Open(s)],
			dialect.KindUnknown: "If it is an election's path, its candidates appear here.",
		}[s.Kind()], "The next "+phrase.RoleOf(s).One+" appears here."))
	case s.Queue.Len() == 0:
		lines := append([]string{s.Words("No candidates")}, phrase.OutsideZnodes(s)...)
		w, number := phrase.RoleOf(s), ""
		if s.NextSequenceKnown && !dialect.Queueless(s.Recipe) {
			number = fmt.Sprintf("gets number %d and ", s.NextSequence)
		}
		lines = append(lines, "The next "+w.One+" "+number+w.Has+" at once: there is nobody to wait for.")
		var keys []string
		if spawns {
			keys = append(keys, s.Words("s spawns a candidate"))
		}
		if campaigns {
			keys = append(keys, "c makes electop join")
		}
		if len(keys) > 0 {
			lines = append(lines, "What to do: "+strings.Join(keys, ", ")+".")
		}
		return lines
	}
	return nil
}
