package ui

import (
	"os"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"

	"electop/model"
	_ "electop/ui/background" // before bubbletea's init
)

// Model is the dashboard as bubbletea sees it.
type Model struct{ d *dashboard }

// New returns a dashboard that shows o's source as it is now. [Run] brings it
// to the terminal and keeps it up to date.
func New(o Options) Model {
	return Model{newDashboard(o, doer{actions: o.Actions})}
}

// Init implements [tea.Model].
func (m Model) Init() tea.Cmd { return nil }

// Update implements [tea.Model].
func (m Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := m.d.update(msg)
	return m, tea.Batch(cmd, m.d.redraw())
}

// View implements [tea.Model]: the last frame, drawn by Update.
func (m Model) View() string { return m.d.drawn }

// dashboard is everything the screen depends on. It belongs to bubbletea's
// event loop.
type dashboard struct {
	o        Options
	doer     doer
	table    []binding
	renderer *lipgloss.Renderer
	theme    *theme
	w, h     int

	latest *model.State // the newest
	ended  bool         // there will be no newer one
	// endedAt is up to when it was true.
	endedAt time.Time
	paused  *model.State // what is shown while paused, else nil
	since   time.Time    // of the pause
	// stopped says that the source of a replay was told to stop.
	stopped bool

	mode     mode
	back     mode // where help returns to
	focus    panel
	rows     rows
	selected ref
	index    int // of the selected row in rows
	top      int // first contender in view
	page     int // how many were in view
	scroll   [panels]int
	filter   string
	over     overlayState
	question *question
	status   status

	handoff     *model.Handoff // the newest, and when it came
	handoffCame time.Time

	canvas canvas
	drawn  string
	dirty  bool
	frames int       // drawn so far
	gen    uint64    // of the tick that counts
	tickAt time.Time // when it comes; zero: none is on its way
}

// overlayState is what is shown in front of the panels.
type overlayState struct {
	of      ref // the inspected row
	readAt  time.Time
	top     int // first line in view
	pageful int
	lines   int
}

// status is the line above the keys.
type status struct {
	style style
	text  string
	until time.Time // zero: nothing
}

type (
	// refreshMsg is a new state from the pump.
	refreshMsg struct {
		state *model.State
		ended bool
	}
	// noticeMsg are lines from [Options.Notices], oldest first.
	noticeMsg []string
	// tickMsg says that a digit changes now. Ticks of an older generation were
	// overtaken.
	tickMsg struct{ gen uint64 }
)

func newDashboard(o Options, d doer) *dashboard {
	if o.Now == nil {
		o.Now = time.Now
	}
	b := &dashboard{
		o: o, doer: d, table: bindings(), mode: modeNormal,
		renderer: renderer(o), dirty: true,
	}
	b.theme = newTheme(resolveTheme(o.Theme, os.Getenv), b.renderer)
	b.latest = unknown()
	if o.Source != nil {
		if s := o.Source.State(); s != nil {
			b.latest = s
		}
	}
	b.handoff = newest(b.latest)
	b.reselect()
	return b
}

// unknown is the state of an election of which nothing is known.
func unknown() *model.State { return model.NewJournal(model.Config{}).State() }

func newest(s *model.State) *model.Handoff {
	if n := len(s.Handoffs); n > 0 {
		return s.Handoffs[n-1]
	}
	return nil
}

// shown is the state on the screen.
func (d *dashboard) shown() *model.State {
	if d.paused != nil {
		return d.paused
	}
	return d.latest
}

func (d *dashboard) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		d.w, d.h = max(0, msg.Width), max(0, msg.Height)
		d.dirty = true
	case tea.KeyMsg:
		d.dirty = true
		return d.key(msg)
	case refreshMsg:
		d.refresh(msg)
	case noticeMsg:
		if len(msg) > 0 {
			text := model.Safe(msg[len(msg)-1], 0)
			if more := len(msg) - 1; more > 0 {
				text += " (and " + plural(more, "more", "more") + ")"
			}
			d.say(styleTrouble, text)
		}
	case doneMsg:
		d.done(msg)
	case tickMsg:
		if msg.gen == d.gen {
			d.tickAt = time.Time{}
			d.dirty = true
		}
	case tea.ResumeMsg:
		// Ticks may have passed while the program was stopped.
		d.tickAt = time.Time{}
		d.dirty = true
	}
	return nil
}

// refresh takes a new state.
func (d *dashboard) refresh(msg refreshMsg) {
	if msg.ended {
		d.ended, d.endedAt = true, d.o.Now()
		d.dirty = true
	}
	if msg.state == nil || msg.state == d.latest {
		return
	}
	d.latest = msg.state
	d.dirty = true
	if d.paused == nil {
		d.takeHandoff()
		d.reselect()
	}
}

// takeHandoff notes that the newest handoff is another one than before.
func (d *dashboard) takeHandoff() {
	h := newest(d.latest)
	if h == nil {
		d.handoff = nil
		return
	}
	// The takeover of one that is known may be put in later.
	if d.handoff == nil || !h.At.Equal(d.handoff.At) || h.To != d.handoff.To && h.Fence != d.handoff.Fence {
		d.handoffCame = d.o.Now()
	}
	d.handoff = h
}

// reselect rebuilds the rows and finds the selected one again. If it is gone,
// whatever stands in its place is selected.
func (d *dashboard) reselect() {
	d.rows = newRows(d.shown(), d.filter)
	d.dirty = true
	if i := d.rows.find(d.selected, d.index); i >= 0 {
		d.index = i
		d.selected = d.rows.at(i).ref() // a member may have another znode now
		return
	}
	d.selectRow(d.index)
}

// selectRow selects row i, or the nearest there is.
func (d *dashboard) selectRow(i int) {
	d.index = max(0, min(i, d.rows.len()-1))
	if d.rows.len() == 0 {
		// Keep the identity: it may come back, as after a lost connection or
		// under another filter.
		return
	}
	d.selected = d.rows.at(d.index).ref()
}

// say puts text into the status line.
func (d *dashboard) say(st style, text string) {
	shown := statusShown
	if st == styleTrouble {
		shown = errorShown
	}
	d.status = status{st, text, d.o.Now().Add(shown)}
	d.dirty = true
}
