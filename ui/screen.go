package ui

import (
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/phrase"
	"electop/model/session"
	"electop/model/znode"
	"electop/ui/action"
	"electop/ui/elections"
	"electop/ui/input"
	"electop/ui/lessons"
	"electop/ui/mainscreen"
	"electop/ui/overlay"
	"electop/ui/term"
	"electop/ui/travel"
	"electop/ui/wording"
)

func (d *dashboard) redraw() tea.Cmd {
	if d.w == 0 || d.h == 0 {
		d.drawn = ""
		return nil
	}
	if !d.dirty {
		return nil
	}
	d.dirty = false
	f := d.frame()
	d.settle(f)
	d.drawn = d.draw(f)
	d.frames++
	now := d.o.Now()
	switch {
	case f.Next.IsZero():
		d.tickAt = time.Time{}
		d.gen++ // the pending tick is not needed
		return nil
	case !d.tickAt.IsZero() && !d.tickAt.After(f.Next) && d.tickAt.After(now):
		return nil // the pending tick is early enough
	}
	d.gen++
	d.tickAt = f.Next
	return d.doer.tick(f.Next.Sub(now), d.gen)
}

func (d *dashboard) frame() *term.Frame {
	now := d.o.Now()
	f := &term.Frame{Canvas: &d.canvas, Theme: d.theme, Now: now, Picture: now}
	f.Resize(d.w, d.h)
	s := d.shown()
	switch {
	case d.paused != nil:
		f.Picture, f.Held = d.past.shownTime(), true
	case !s.DownSince.IsZero():
		f.Picture, f.Held = s.DownSince, true
	case d.ended && d.o.Mode == ModeReplay:
		f.Picture, f.Held = s.At, true
	case d.ended:
		f.Picture, f.Held = d.endedAt, true
	}
	if d.past.journey.Plays() {
		f.At(now.Add(playEvery))
	}
	return f
}

// settle decides the place of each part and its lines in view. The effect of the next key depends on both.
func (d *dashboard) settle(f *term.Frame) {
	d.screen.Settle(f, d.screenShown())
	if d.screen.TooSmall() {
		return
	}
	switch d.modes.Front() {
	case input.ModeElections:
		x := elections.Shown{Search: d.search, Running: d.paused == nil && !d.ended}
		_, x.Why = d.action(action.Discover, "")
		for _, v := range d.views {
			x.Watched = append(x.Watched, elections.Watched{Path: v.path, State: v.shown(), Front: v == d.view})
		}
		d.elections.Settle(x, d.screen.At.Body())
	case input.ModeLessonMenu:
		d.lessons.Menu.Settle(d.w, d.h, d.lessons.MenuShown(&d.theme.Glyph))
	case input.ModeFaults:
		d.faults.Settle(d.w, d.h, d.faultsShown())
	case input.ModePalette:
		d.palette.Settle(d.w, d.h, d.actionsShown())
	}
	if text, ok := d.window().(*overlay.Panel); ok {
		x, width := d.content()
		text.Settle(term.InFront(d.w, d.h, width, len(x.Lines)), x)
	}
}

func (d *dashboard) screenShown() mainscreen.Shown {
	d.reselect()
	_, spawn := d.action(action.Spawn, "")
	_, campaign := d.action(action.Campaign, "")
	_, verify := d.action(action.Verify, "")
	x := mainscreen.Shown{
		Bar: mainscreen.Bar{
			State: d.shown(), Number: slices.Index(d.views, d.view) + 1, Watched: len(d.views),
			W: d.w, H: d.h, Cluster: d.o.Cluster, Role: d.o.Role, Badge: d.o.Mode,
			Since: d.past.shownTime(), Ended: d.ended,
		},
		Candidates: &d.candidates, Handoffs: &d.handoffs, Messages: &d.messages, Details: &d.details,
		Lesson: d.lesson(), Journey: &d.past.journey, Help: func(w int) [][]term.Span { return d.helpLines(w, d.withLesson(d.past.mode()), false) },
		Spawns: spawn == "", Campaigns: campaign == "", Verifying: !d.verifying.IsZero(), NoVerify: verify,
	}
	if d.candidates.Row().Ref().Same(d.reread.of) {
		x.Reread = d.reread.at
	}
	switch {
	case d.past.journey.On:
		x.TimeShown = mainscreen.Past
	case d.paused != nil:
		x.TimeShown, x.Waiting = mainscreen.Paused, d.waiting()
	}
	if recording := d.past.recording(); recording != nil {
		playing := recording.Playing()
		x.Playing = &playing
	}
	return x
}

func (d *dashboard) content() (text overlay.Text, width int) {
	if d.modes.Front() == input.ModeJoin {
		return overlay.Join(term.TextWidth(d.w, d.w), d.o.Invitations, d.o.Open, joined(d.shown()), d.o.cannotJoin(d.path)), d.w
	}
	mode := input.Mode(0) // all modes
	if !d.helpAll {
		mode = d.withLesson(d.modes.Below())
	}
	if width = 92; mode == 0 || mode.Main() {
		width = 160 // two columns on a wide screen
	}
	return overlay.Text{Title: "Help", Lines: d.helpLines(term.TextWidth(d.w, width), mode, true)}, width
}

func (d *dashboard) helpLines(w int, mode input.Mode, lanes bool) [][]term.Span {
	return input.HelpLines(d.table, &d.theme.Glyph, w, mode, lanes)
}

func joined(s *doctor.State) (lines []string) {
	for _, c := range s.Queue.All() {
		if s.Member(c) != nil {
			continue
		}
		from := "address unknown"
		if x, _ := s.Client(c); x.Conn != nil {
			from = znode.Safe(session.HostOf(strings.TrimPrefix(x.Conn.Addr, "/")), 64)
			if from == "[::1]" || strings.HasPrefix(from, "127.") {
				from = "this machine"
			}
		}
		lines = append(lines, term.Fitted(phrase.Label(c), 20)+"  "+from)
	}
	return lines
}

// draw must not change the effect of a key.
func (d *dashboard) draw(f *term.Frame) string {
	d.screen.Draw(f)
	if d.screen.TooSmall() {
		return f.Render(d.theme)
	}
	at := &d.screen.At
	if front := d.window(); front != nil {
		if front != window(&d.elections) { // the list of elections covers the panels
			f.Restyle(at.Body(), term.Dim)
		}
		front.Draw(f)
	}
	if d.modes.Now() != input.ModeFilter {
		st, text := d.statusText(f)
		mainscreen.DrawStatus(f, at.Status, st, text)
	} else {
		p := f.Area(at.Status).Pen(0)
		d.typed.Draw(f, p, "/")
		what := "name, znode or session contains"
		if d.modes.Front() == input.ModeElections {
			what = "path, system or leader contains"
		}
		p.Gap(2).Text(term.Muted, what)
	}
	keys := d.footer()
	keys.Draw(f, d.table)
	return f.Render(d.theme)
}

func (d *dashboard) statusText(f *term.Frame) (term.Style, string) {
	if d.question != nil {
		return term.Alarm, d.question.text + " y n"
	}
	gone := d.messageAbout != (dialect.ID{}) && d.shown().Queue.Index(func(c *dialect.Candidate) bool { return c.ID() == d.messageAbout }) < 0
	if st, text, ok := d.message.Text(f); ok && !gone {
		return st, text
	}
	front := d.modes.Front()
	switch {
	case front == input.ModeElections && d.elections.Row() != nil:
		r := d.elections.Row()
		text := znode.Safe(r.Path, 0)
		for _, more := range []string{r.State().System(), phrase.NoLeader(r.State()).Sentence} {
			if more != "" {
				text += "   " + more
			}
		}
		return term.Muted, text
	case d.past.journey.On && front == input.ModePast && !d.past.journey.Known:
		return term.Muted, "searching for the moment to show"
	case d.past.journey.On && front == input.ModePast:
		return travel.Words(f, d.past.journey.Found)
	}
	st, text := wording.Headline(f, d.shown(), d.screen.Stale(), d.ended, !d.screen.At.Panel[mainscreen.Candidates].Empty() && d.candidates.ShowsFirst())
	if d.lesson() != nil && front == input.ModeNormal && st != term.Alarm {
		if todo := d.lessons.Status(); todo != "" {
			return term.Lead, todo
		}
	}
	return st, text
}

func (d *dashboard) footer() mainscreen.Footer {
	list, ok := d.window().(*overlay.List)
	lesson, _ := d.lessons.Menu.Selected()
	return mainscreen.Footer{
		Screen: &d.screen, Mode: d.withLesson(d.modes.Now()), Action: d.action,
		Elections: len(d.elections.Rows), Leaving: lesson.Arg == lessons.None,
		Refused: ok && list.Refused(), Lessons: d.o.Lessons != nil, Invited: len(d.o.Invitations) > 0, Past: d.o.Past != nil,
	}
}
