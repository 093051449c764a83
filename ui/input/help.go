package input

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"electop/ui/term"
)

type helpLine struct {
	style      term.Style
	sign, text string
}

func signs(g *term.Glyphs) []helpLine {
	return []helpLine{
		{term.Heading, "", "Signs"},
		{term.Lead, g.Leader, "leads: its znode has the lowest number"},
		{term.Alarm, g.LeaderLost, "first, but faulty, at risk or not leading"},
		{term.Watch, g.Watch, "watches the candidate above it"},
		{term.Trouble, g.WatchWrong, "does not watch its predecessor"},
		{term.Watch, g.HerdHead + g.HerdMore, "an arrow to the watched znode; grey: inferred"},
		{term.Trouble, g.HerdFrom + g.HerdMore, "watches the leader, like all others: the herd"},
		{term.Watch, g.Up + " 12", "watches the znode with number 12"},
		{term.Good, g.Yes, "verified: ZooKeeper reports that watch"},
		{term.Muted, g.Inferred, "inferred or estimated, not verified"},
		{term.Alarm, g.Wrong, "ZooKeeper reports another watch or none"},
		{term.Alarm, g.Critical, "a critical finding; " + g.Warning + " a warning; " + g.Info + " worth knowing"},
		{term.Alarm, g.Killed, "killed: no connection, its znode still exists"},
		{term.Alarm, g.Frozen, "frozen: it reads, writes and decides nothing"},
		{term.Alarm, g.Parted, "cut off: nothing passes to ZooKeeper or back"},
		{term.Trouble, g.LosesReply, "loses its next reply; " + g.NoGuid + " no guid; " + g.SlowLead + " never acks"},
		{term.Lead, g.Notice, "a notification on its way to the watcher"},
		{term.You, g.Notice, "in Messages: a held message; " + g.Expired + " lost"},
		{term.Muted, g.Elsewhere, "third-party, member, item; R" + g.TR + " share the lock"},
	}
}

func lanes(g *term.Glyphs) []helpLine {
	return []helpLine{
		{term.Heading, "", "Lanes: one for each candidate over time"},
		{term.Watch, g.Waits, "waits; " + g.Created + " its znode was created, " + g.Deleted + " deleted"},
		{term.Alarm, g.Expired, "its session expired, and its znode was deleted"},
		{term.Lead, g.Notice, "notified; " + g.Down + " from the deleted znode"},
		{term.Gold, g.Block, "leads, as far as the znodes show; " + g.Elected + " elected"},
		{term.Trouble, g.Danger, "silent, and its znode still exists"},
		{term.Alarm, g.Believes, "believes it leads, but another leads or may lead"},
		{term.Trouble, g.Suspended, "suspended: it lost its connection or its lease"},
		{term.Muted, g.Nowhere, "no znode; " + g.Unseen + " electop had no connection"},
		{term.Alarm, g.Stale, "a stale write; " + g.Written + " another write, " + g.Refused + " a refused one"},
		{term.You, g.Playhead, "the moment on the screen; " + g.Play + " the past is played"},
	}
}

var words = []helpLine{
	{term.Heading, "", "Words"},
	{term.Text, "silent", "from the leader's stop to its znode's deletion"},
	{term.Text, "takeover", "from then until the new leader acknowledged"},
	{term.Text, "vacant", "the time without a candidate"},
	{term.Text, "token", "the leader's czxid, for fencing; only grows"},
	{term.Text, "safety", "never two leaders awake (not frozen), no stale write"},
	{term.Text, "double", "two candidates both believe that they lead; only electop's candidates report beliefs"},
	{term.Text, "liveness", "time with a leader; (queue): with a first znode; (ack): acknowledged"},
	{term.Text, "ghost", "a znode that its owner does not know of"},
	{term.Text, "missed", "changes between two reads, only counted"},
	{term.Heading, "", "Mouse"},
	{term.Text, "click", "selects a row, then opens it; selects a panel; presses a key; goes to a time, also dragged"},
	{term.Text, "wheel", "scrolls what is under the pointer"},
	{term.Text, "shift", "selects text (iTerm2: option); or --no-mouse"},
}

// pairs has the common help of a command and its opposite. The opposite must be the next binding.
var pairs = map[Command]string{
	CmdDown: "down, up", CmdPageDown: "a page down, up", CmdTop: "to the top, to the end",
	CmdEarlier: "to the previous, to the next event", CmdHandBack: "to the previous, to the next handoff",
	CmdEarliest: "the earliest moment kept, the last moment", CmdPlaySlower: "play slower, faster",
	CmdLeft: "a column to the left, right, in a grid", CmdFiner: "a finer, a coarser scale of the time line",
}

func keyLines(table []Binding, shown func(Binding) bool) (out []helpLine) {
	opposite := false
	for _, b := range table {
		switch words := pairs[b.Do]; {
		case !shown(b):
		case opposite:
			out[len(out)-1].sign += " " + b.Help().Key
			opposite = false
		default:
			opposite = words != ""
			out = append(out, helpLine{term.Key, b.Help().Key, cmp.Or(words, longHelp(b))})
		}
	}
	return out
}

// helpLines returns the help of a mode, or of all modes if mode is 0.
func helpLines(table []Binding, g *term.Glyphs, mode Mode, brief, withLanes bool) (out []helpLine) {
	in, all := cmp.Or(mode, ^Mode(0)), mode == 0
	if all && brief {
		in &^= ModeNormal
	}
	add := func(title, note string, shown func(Binding) bool) {
		lines := keyLines(table, shown)
		if len(lines) == 0 {
			return
		}
		if out = append(out, helpLine{term.Heading, "", title}); note != "" {
			out = append(out, helpLine{text: note})
		}
		out = append(out, lines...)
	}
	firstKeys := []string{"x", "f", "s", "h", "L", "q"}
	first := func(b Binding) bool { return in&b.Modes&ModeNormal != 0 && slices.Contains(firstKeys, b.Keys()[0]) }
	add("On a first visit", "", first)
	if mode.Main() || all && !brief {
		out = append(out, signs(g)...)
		if withLanes {
			out = append(out, lanes(g)...)
		}
	}
	for i, m := range modes {
		repeats := m.mode != ModeNormal && (all || mode&ModeNormal != 0)
		add(m.title, m.note, func(b Binding) bool {
			return in&m.mode&b.Modes != 0 && !first(b) && !(repeats && b.Modes&ModeNormal != 0)
		})
		if all && i == 0 {
			out = append(out, words...)
		}
	}
	if !all {
		out = append(out, helpLine{}, helpLine{term.Key, "?", "all keys, signs and words"})
	} else if brief {
		out = append(out, helpLine{}, helpLine{term.Key, "?", "on the main screen: its keys, and the signs"})
	}
	return out
}

// HelpLines returns the help of a mode, or of all modes if mode is 0, for a width of w cells.
func HelpLines(table []Binding, g *term.Glyphs, w int, mode Mode, withLanes bool) [][]term.Span {
	const twoColumns, gap = 112, 3 // width from which there are two columns; cells between them
	all := helpLines(table, g, mode, w < twoColumns, withLanes)
	if w < twoColumns {
		lines, _ := wrapHelp(all, w)
		return lines
	}
	w = (w - gap) / 2
	lines, starts := wrapHelp(all, w)
	end := len(lines)
	for _, at := range starts {
		if max(at, len(lines)-at) < max(end, len(lines)-end) {
			end = at
		}
	}
	left, right := lines[:end], lines[end:]
	out := make([][]term.Span, max(len(left), len(right)))
	copy(out, left)
	for i, line := range right {
		out[i] = append(append(slices.Clip(out[i]), term.Span{Text: term.Blanks(w + gap - term.SpansWidth(out[i]))}), line...)
	}
	return out
}

// wrapHelp wraps the help. starts has the indexes of the lines at which sections begin.
func wrapHelp(all []helpLine, w int) (lines [][]term.Span, starts []int) {
	room := 0 // width of the widest sign of the section
	for i, l := range all {
		switch {
		case l.style == term.Heading:
			if lines != nil {
				lines = append(lines, nil)
			}
			starts, room = append(starts, len(lines)), 0
			for _, next := range all[i+1:] {
				if next.style == term.Heading {
					break
				}
				room = max(room, term.Width(next.sign))
			}
		case l.text == "":
			lines = append(lines, nil)
		}
		if l.sign == "" {
			for _, part := range term.Lines(l.text, w) {
				lines = append(lines, []term.Span{{Style: l.style, Text: part}})
			}
			continue
		}
		for _, part := range term.Lines(l.text, w-room-1) {
			lines = append(lines, append(term.AppendColumn(nil, room, l.style, l.sign), term.Span{Style: term.Text, Text: part}))
			l.sign = ""
		}
	}
	return lines, starts
}

func longHelp(b Binding) string { return cmp.Or(b.Long, b.Help().Desc) }

// Markdown returns a table of the keys of each mode.
func Markdown() string {
	var out strings.Builder
	table := Bindings(false)
	for i, m := range modes {
		if i > 0 {
			out.WriteByte('\n')
		}
		title := m.title
		if m.mode == ModeHelp {
			title = "In the help"
		}
		fmt.Fprintf(&out, "%s:", title)
		if m.note != "" {
			fmt.Fprintf(&out, " %s", strings.ToLower(m.note[:1])+m.note[1:])
		}
		out.WriteString("\n\n| key | does |\n|---|---|\n")
		for _, b := range table {
			if b.Modes&m.mode == 0 {
				continue
			}
			var keys []string
			for _, k := range b.Keys() {
				if k == " " {
					k = "space"
				}
				keys = append(keys, "`"+strings.ReplaceAll(k, "ctrl+", "ctrl-")+"`")
			}
			fmt.Fprintf(&out, "| %s | %s |\n", strings.Join(keys, " "), longHelp(b))
		}
	}
	return out.String()
}
