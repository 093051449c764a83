package input

import (
	"cmp"
	"fmt"
	"strings"

	"electop/ui/term"
)

// helpLine is a line of the help: a heading, or a key or sign with its meaning.
type helpLine struct {
	style      term.Style
	sign, text string
}

// signs returns the signs of the screen and of the lanes with their meanings.
func signs(g *term.Glyphs) []helpLine {
	return []helpLine{
		{term.Heading, "", "Signs"},
		{term.Lead, g.Leader, "leads: its znode has the lowest number"},
		{term.Alarm, g.LeaderLost, "first in the queue, and does not lead: not acknowledged yet, not aware of it, killed, frozen, a ghost, or without contact to the servers"},
		{term.Watch, g.Watch, "watches the candidate above it"},
		{term.Trouble, g.WatchWrong, "does not watch its predecessor"},
		{term.Watch, g.HerdHead + g.HerdMore, "the chain: the candidate below watches the one at the arrow; grey if that is only inferred"},
		{term.Trouble, g.HerdFrom + g.HerdMore, "watches the leader, like all the others: the herd"},
		{term.Watch, g.Up + " 12", "watches the znode with number 12"},
		{term.Good, g.Yes, "verified: a server's own table has that watch"},
		{term.Muted, g.Inferred, "inferred from the recipe; before an age: by the server's clock; before a duration: a guess"},
		{term.Alarm, g.Wrong, "it watches another znode or none, according to the servers' tables"},
		{term.Alarm, g.Critical, "a critical finding; " + g.Warning + " a warning; " + g.Info + " worth knowing"},
		{term.Alarm, g.Killed, "killed: its connection was cut, its znode still exists"},
		{term.Alarm, g.Frozen, "frozen: it reads, writes and decides nothing"},
		{term.Alarm, g.Parted, "cut off: nothing passes between it and the servers"},
		{term.Trouble, g.LosesReply, "the reply to its next create gets lost; " + g.NoGuid + " its next znode has no guid; " + g.SlowLead + " its leader procedure does not end"},
		{term.Lead, g.Notice, "a notification on its way from the deleted znode to its watcher"},
		{term.Text, g.H + g.ToRight, "in Messages: a request that ZooKeeper processed, or a message that it sent; " + g.Expired + " it was lost"},
		{term.You, g.Notice, "in Messages: held by ZooKeeper, in the order of their release"},
		{term.Heading, "", "Lanes: one for each candidate over time"},
		{term.Watch, g.Waits, "waits; " + g.Created + " its znode was created, " + g.Deleted + " deleted, " + g.Expired + " deleted as its session expired"},
		{term.Lead, g.Notice, "notified; " + g.Down + " comes from the deleted znode's lane"},
		{term.Gold, g.Block, "leads, as far as the znodes show; " + g.Elected + " elected: the leader procedure is running"},
		{term.Trouble, g.Danger, "silent: " + g.Killed + " killed, " + g.Frozen + " frozen or " + g.Parted + " cut off, and its znode still exists"},
		{term.Alarm, g.Believes, "believes it leads, but another leads or may lead; " + g.Suspended + " suspended: without connection or lease, it does not lead"},
		{term.Muted, g.Nowhere, "no znode; " + g.Unseen + " not observed: electop had no connection"},
		{term.Alarm, g.Stale, "a stale write that was accepted; " + g.Written + " another write, " + g.Refused + " a refused write"},
		{term.You, g.Playhead, "the moment on the screen; " + g.Play + " the past is played"},
	}
}

// words explains the words of the screen, and the mouse.
var words = []helpLine{
	{term.Heading, "", "Words"},
	{term.Text, "silent", "from the old leader's stop until its znode was deleted"},
	{term.Text, "takeover", "from that deletion until the new leader acknowledged"},
	{term.Text, "vacant", "the time without a candidate"},
	{term.Text, "token", "the fencing token, the leader's czxid: grows with each leader, so that storage can refuse an older one"},
	{term.Text, "safety", "never two awake leaders, and no accepted write of a deposed leader; double: two candidates believe at the same time that they lead"},
	{term.Text, "liveness", "the share of the time with an awake leader; (queue): with a first znode; (ack): with an acknowledged leader"},
	{term.Text, "beliefs not visible", "third-party candidates do not report whether they believe they lead, so doubles cannot be detected"},
	{term.Text, "ghost", "a znode that its owner does not know: the reply to its create was lost"},
	{term.Text, "missed", "changes that happened between two reads; the server counted them, electop did not see them"},
	{term.Heading, "", "Mouse"},
	{term.Text, "click", "selects a row, opens it if it is selected; gives a panel the focus; presses a key of the last line; on the time line goes to that time; dragging moves the time with the pointer"},
	{term.Text, "wheel", "scrolls what is under the pointer"},
	{term.Text, "shift", "hold it to select text (iTerm2: option), or start with --no-mouse"},
}

// helpLines returns the help: the keys by mode, the signs, the words. If of is not 0, it
// has only the keys of these modes, with the signs for the main screen.
func helpLines(table []Binding, g *term.Glyphs, of Mode) (out []helpLine) {
	for i, m := range modes {
		if of == 0 && i == 1 {
			// Users look for signs and words more often than for the keys of the
			// smaller modes.
			out = append(append(out, signs(g)...), words...)
		}
		if of != 0 && of&m.mode == 0 {
			continue
		}
		out = append(out, helpLine{term.Heading, "", m.title})
		if m.note != "" {
			out = append(out, helpLine{text: m.note})
		}
		for _, b := range table {
			if b.Modes&m.mode != 0 {
				out = append(out, helpLine{term.Key, b.Help().Key, longHelp(b)})
			}
		}
	}
	if of != 0 {
		out = append(out, helpLine{}, helpLine{term.Key, "?", "all keys, signs and words"})
	}
	if of.Main() {
		out = append(out, signs(g)...)
	}
	return out
}

// HelpLines returns the help on lines of w cells: for the modes in of, or for all if it is 0.
func HelpLines(table []Binding, g *term.Glyphs, w int, of Mode) [][]term.Span {
	const room = 11 // cells for a key or a sign
	var lines [][]term.Span
	for _, l := range helpLines(table, g, of) {
		if l.text == "" {
			lines = append(lines, nil)
			continue
		}
		w, sign := w, l.sign
		if sign != "" {
			w -= room + 1
		}
		if l.style == term.Heading && lines != nil {
			lines = append(lines, []term.Span{{}})
		}
		for _, part := range term.Wrap(l.text, w) {
			if l.sign == "" {
				lines = append(lines, []term.Span{{Style: l.style, Text: part}})
				continue
			}
			lines = append(lines, append(term.AppendColumn(nil, room, l.style, sign), term.Span{Style: term.Text, Text: part}))
			sign = ""
		}
	}
	return lines
}

func longHelp(b Binding) string { return cmp.Or(b.Long, b.Help().Desc) }

// Markdown returns the table of keys for electop help keys.
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
				keys = append(keys, "`"+strings.ReplaceAll(k, "+", "-")+"`")
			}
			fmt.Fprintf(&out, "| %s | %s |\n", strings.Join(keys, " "), longHelp(b))
		}
	}
	return out.String()
}
