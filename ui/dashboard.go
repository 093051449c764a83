package ui

import (
	"cmp"
	"context"
	"io"
	"os"
	"strconv"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/znode"
	"electop/ui/action"
	"electop/ui/elections"
	"electop/ui/input"
	"electop/ui/lessons"
	"electop/ui/mainscreen"
	"electop/ui/overlay"
	"electop/ui/term"
)

// Model is the dashboard as a [tea.Model].
type Model struct{ d *dashboard }

// dashboard is not safe for concurrent use.
type dashboard struct {
	o     Options
	doer  doer
	table []input.Binding
	theme *term.Theme
	w, h  int

	watched
	past timeTravel
	overlays

	ended   bool // there will be no newer state
	endedAt time.Time

	screen mainscreen.Screen
	reread struct {
		of model.Ref // the candidate whose data the user last requested again
		at time.Time
	}
	listing      bool // reportListing last reported an open list of elections
	dragging     bool // the mouse moves the playhead
	lessons      lessons.Panel
	unknown      map[string]bool // keys that unknownKey has reported
	question     *question
	message      mainscreen.Message
	messageAbout dialect.ID // if not zero, the message is shown only while this znode exists

	canvas term.Canvas
	drawn  string // the last frame
	dirty  bool   // the last frame may be outdated
	frames int
	gen    uint64    // generation of the pending tick; older ticks are ignored
	tickAt time.Time // time of the pending tick; zero: there is none
}

// New returns a dashboard that shows the present state of the source in o.
func New(o Options) Model {
	return Model{newDashboard(o, doer{ctx: context.Background(), actions: o.Actions})}
}

// Init implements [tea.Model].
func (m Model) Init() tea.Cmd {
	tick := m.d.redraw()
	if o := &m.d.o; o.Width > 0 && o.Height > 0 {
		writeFirst(o.Output, m.d.drawn)
	}
	if m.d.o.Begin != nil {
		m.d.o.Begin()
	}
	return tick
}

// Update implements [tea.Model].
func (m Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := m.d.update(msg)
	listing := m.d.reportListing()
	tick := m.d.redraw()
	return m, tea.Batch(cmd, listing, tick)
}

// View implements [tea.Model]. Init and Update draw the frame.
func (m Model) View() string { return m.d.drawn }

type (
	refreshMsg struct {
		states []*doctor.State
		search *elections.Search
		ended  bool
	}
	noticeMsg struct {
		text string
		more int // number of older lines that came with text
	}
)

func newDashboard(o Options, d doer) *dashboard {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Renderer == nil {
		o.Renderer = lipgloss.NewRenderer(cmp.Or[io.Writer](o.Output, os.Stdout))
	}
	b := &dashboard{
		o: o, doer: d, table: input.Bindings(o.ObserveOnly), lessons: lessons.Panel{Runner: o.Lessons}, unknown: map[string]bool{},
		theme: term.NewTheme(term.ResolveTheme(o.Theme, os.Getenv), o.Renderer), dirty: true,
	}
	b.update(tea.WindowSizeMsg{Width: o.Width, Height: o.Height})
	first := present(o.Source, false)
	if len(first.states) == 0 || first.states[0] == nil {
		first.states = []*doctor.State{doctor.NewJournal(model.Config{}).State()} // an unknown election
	}
	b.search = first.search
	b.past = timeTravel{watched: &b.watched, past: o.Past, now: o.Now, doer: d, report: b.report}
	b.past.toggle = func() tea.Cmd { return b.act(action.Pause, "") }
	b.overlays = overlays{watched: &b.watched, menu: &b.lessons.Menu, typed: overlay.NewTyped()}
	b.modes.SetBase(b.past.mode())
	b.setViews(first.states)
	if o.Choose {
		b.modes.Open(input.ModeElections)
		b.elections.Selected = b.path
	}
	b.updateLesson()
	return b
}

func present(src Source, ended bool) refreshMsg {
	msg := refreshMsg{ended: ended}
	switch src := src.(type) {
	case nil:
	case MultiSource:
		msg.states, msg.search = src.States(), src.Search()
	default:
		msg.states = []*doctor.State{src.State()}
	}
	return msg
}

// widthMax and heightMax bound the memory of a frame, because a terminal can claim any size.
const widthMax, heightMax = 1000, 500

func (d *dashboard) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		w, h := min(max(0, msg.Width), widthMax), min(max(0, msg.Height), heightMax)
		d.dirty = d.dirty || w != d.w || h != d.h
		d.w, d.h = w, h
	case tea.MouseMsg:
		return d.mouse(tea.MouseEvent(msg))
	case tea.KeyMsg:
		d.screen.Shown, d.dirty = d.screenShown(), true // redraw does not set Shown before the size is known
		return d.key(msg)
	case refreshMsg:
		d.refresh(msg)
	case noticeMsg:
		text := znode.Safe(msg.text, 0)
		if msg.more > 0 {
			text += " (and " + strconv.Itoa(msg.more) + " more)"
		}
		d.report(term.Trouble, text)
	case doneMsg:
		return msg(d)
	case tickMsg:
		if msg.gen == d.gen {
			d.tickAt = time.Time{}
			d.dirty = true
			return d.doer.search(d.past.journey.PlayOn(d.o.Now()))
		}
	case tea.ResumeMsg:
		// The time of the pending tick may have passed during the suspension.
		d.tickAt = time.Time{}
		d.dirty = true
	}
	return nil
}

func (d *dashboard) report(st term.Style, text string) {
	if text == "" {
		return
	}
	d.message, d.messageAbout = mainscreen.NewMessage(st, text, d.o.Now()), dialect.ID{}
	d.dirty = true
}

func (d *dashboard) refresh(msg refreshMsg) {
	if msg.ended {
		d.ended, d.endedAt = true, d.o.Now()
		d.dirty = true
	}
	if msg.search != nil && msg.search != d.search {
		d.search, d.dirty = msg.search, true
	}
	d.setViews(msg.states)
	d.report(d.endVerify(d.o.Now()))
	d.updateLesson()
}

// key handles one key, or several that Bubbletea read together. Each key needs a settled screen.
func (d *dashboard) key(msg tea.KeyMsg) tea.Cmd {
	if msg.Type != tea.KeyRunes || len(msg.Runes) < 2 || msg.Paste || msg.Alt {
		return d.oneKey(msg)
	}
	cmds := make([]tea.Cmd, 0, len(msg.Runes))
	for _, r := range msg.Runes {
		cmds = append(cmds, d.oneKey(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}}))
		d.settle(d.frame())
	}
	return tea.Sequence(cmds...)
}
