package ui

import (
	"strconv"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"electop/model/doctor"
	"electop/model/znode"
	"electop/ui/elections"
	"electop/ui/input"
	"electop/ui/lessons"
	"electop/ui/mainscreen"
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
func (m Model) Init() tea.Cmd {
	tick := m.d.redraw()
	if o := &m.d.o; o.Width > 0 && o.Height > 0 {
		first(o.Output, m.d.drawn)
	}
	if m.d.o.Begin != nil {
		m.d.o.Begin()
	}
	return tick
}

// Update implements [tea.Model].
func (m Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := m.d.update(msg)
	listing := m.d.tellListing()
	tick := m.d.redraw()
	return m, tea.Batch(cmd, listing, tick)
}

// View implements [tea.Model]: the last frame, drawn by Update.
func (m Model) View() string { return m.d.drawn }

type (
	// refreshMsg are the present states of the elections watched and the last
	// search, from the pump.
	refreshMsg struct {
		states []*doctor.State
		walk   *elections.Walk
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
		themes: newThemes(o), dirty: true,
	}
	b.update(tea.WindowSizeMsg{Width: o.Width, Height: o.Height})
	first := present(o.Source, false)
	if len(first.states) == 0 || first.states[0] == nil {
		first.states = []*doctor.State{unknown()}
	}
	b.walk = first.walk
	b.past = timeTravel{of: &b.watched, in: o.Past, replay: o.Mode == ModeReplay, now: o.Now, stop: d.stop}
	b.inFront = inFront{of: &b.watched, menu: &b.course.Menu, typed: mainscreen.NewTyped()}
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

// widthMax and heightMax bound a frame, which needs memory for each of its cells: a
// terminal can claim any size.
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
		d.screen.Shown, d.dirty = d.screenShown(), true // it was not settled before it has a size
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
	case copiedMsg:
		d.say(msg.says())
	case doneMsg:
		d.done(msg)
	case travelMsg:
		if x, ok := d.past.arrive(msg.Arrival); ok {
			return d.moved(x)
		}
	case lessonMsg:
		d.taught(msg.err)
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

// key handles a key press. Keys that came at once are one message: typed fast,
// or over a slow line. Each finds the screen as the one before it left it.
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
