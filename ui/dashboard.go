package ui

import (
	"os"
	"strconv"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"

	"electop/model/doctor"
	"electop/model/znode"
	_ "electop/ui/background" // before bubbletea's init
	"electop/ui/input"
	"electop/ui/lessons"
	"electop/ui/mainscreen"
	"electop/ui/status"
	"electop/ui/term"
)

// Model is the dashboard as bubbletea sees it.
type Model struct{ d *dashboard }

// New returns a dashboard that shows o's source as it is now. [Run] brings it
// to the terminal and keeps it up to date.
func New(o Options) Model {
	return Model{newDashboard(o, doer{actions: o.Actions})}
}

// Init implements [tea.Model].
func (m Model) Init() tea.Cmd { return m.d.doer.background(m.d.o.Background) }

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
	table    []input.Binding
	renderer *lipgloss.Renderer
	theme    *term.Theme
	themed   bool // the user chose the theme
	w, h     int

	watched // the elections
	past    timeTravel
	inFront // what is in front of the panels

	ended bool // there will be no newer state
	// endedAt is up to when they were true.
	endedAt time.Time

	screen   mainscreen.Screen
	dragging bool // the mouse moves the playhead
	course   lessons.Course
	unknown  unknownKeys
	question *question
	status   status.Line

	canvas term.Canvas
	drawn  string
	dirty  bool
	frames int       // drawn so far
	gen    uint64    // of the tick that counts
	tickAt time.Time // when it comes; zero: none is on its way
}

type (
	// refreshMsg are the present states of the elections watched and the last
	// search, from the pump.
	refreshMsg struct {
		states []*doctor.State
		walk   *Walk
		ended  bool
	}
	// noticeMsg are lines from [Options.Notices], oldest first.
	noticeMsg []string
)

func newDashboard(o Options, d doer) *dashboard {
	if o.Now == nil {
		o.Now = time.Now
	}
	b := &dashboard{
		o: o, doer: d, table: input.Bindings(o.ObserveOnly), course: lessons.Course{Tutor: o.Tutor},
		renderer: renderer(o), dirty: true,
	}
	b.theme = term.NewTheme(term.ResolveTheme(o.Theme, os.Getenv), b.renderer)
	first := present(o.Source, false)
	if len(first.states) == 0 || first.states[0] == nil {
		first.states = []*doctor.State{unknown()}
	}
	b.walk = first.walk
	b.past = timeTravel{of: &b.watched, in: o.Past, replay: o.Mode == ModeReplay, now: o.Now, stop: d.stop}
	b.inFront = inFront{of: &b.watched, menu: &b.course.Menu, typed: status.NewTyped()}
	b.modes.Ground(b.past.ground())
	b.setViews(first.states)
	if o.Choose {
		b.modes.Open(input.ModeElections)
		b.elections.Selected = b.path
	}
	b.hearTutor()
	return b
}

// present returns what the source has to show.
func present(src Source, ended bool) refreshMsg {
	msg := refreshMsg{ended: ended}
	switch src := src.(type) {
	case nil:
	case Wall:
		msg.states, msg.walk = src.States(), src.Walk()
	default:
		msg.states = []*doctor.State{src.State()}
	}
	return msg
}

func (d *dashboard) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		d.w, d.h = max(0, msg.Width), max(0, msg.Height)
		d.dirty = true
	case tea.MouseMsg:
		return d.mouse(tea.MouseEvent(msg))
	case tea.KeyMsg:
		d.dirty = true
		return d.key(msg)
	case refreshMsg:
		d.refresh(msg)
	case noticeMsg:
		if len(msg) > 0 {
			text := znode.Safe(msg[len(msg)-1], 0)
			if more := len(msg) - 1; more > 0 {
				text += " (and " + strconv.Itoa(more) + " more)"
			}
			d.say(term.Trouble, text)
		}
	case backgroundMsg:
		d.suit(bool(msg))
	case copiedMsg:
		d.say(msg.says())
	case doneMsg:
		d.done(msg)
	case travelMsg:
		if x, ok := d.past.arrive(msg.Arrival); ok {
			return d.moved(x)
		}
	case lessonMsg:
		said := d.course.Began(msg.err)
		d.hearTutor()
		d.say(said.Style, said.Text)
	case tickMsg:
		if msg.gen == d.gen {
			d.tickAt = time.Time{}
			d.dirty = true
			return d.doer.search(d.past.journey.PlayOn(d.o.Now()))
		}
	case tea.ResumeMsg:
		// Ticks may have passed while the program was stopped.
		d.tickAt = time.Time{}
		d.dirty = true
	}
	return nil
}

// refresh takes new states.
func (d *dashboard) refresh(msg refreshMsg) {
	if msg.ended {
		d.ended, d.endedAt = true, d.o.Now()
		d.dirty = true
	}
	if msg.walk != nil && msg.walk != d.walk {
		d.walk, d.dirty = msg.walk, true
	}
	d.setViews(msg.states)
	d.say(d.heard(d.o.Now()))
	d.hearTutor()
}

// suit takes the theme for the terminal's background, if it is to be chosen by that.
func (d *dashboard) suit(light bool) {
	name := term.ResolveTheme(d.o.Theme, os.Getenv)
	if d.themed || d.o.Theme == name || name == term.Mono {
		return
	}
	if name = term.Dark; light {
		name = term.Light
	}
	if name != d.theme.Name {
		d.theme, d.dirty = term.NewTheme(name, d.renderer), true
	}
}

// say puts text into the status line, "" for none.
func (d *dashboard) say(st term.Style, text string) {
	if text == "" {
		return
	}
	d.status.Say(st, text, d.o.Now())
	d.dirty = true
}
