package input

import (
	"cmp"
	"fmt"
	"strings"

	"electop/ui/term"
)

// helpLine is a line of the help: a heading, a key or sign with its meaning,
// or blank.
type helpLine struct {
	style      term.Style
	sign, text string
}

// helpLines is the help: the keys by mode, the signs, the words. Of some modes only it
// is their keys and, of the main screen, its signs; 0: of all.
func helpLines(table []Binding, g *term.Glyphs, of Mode) []helpLine {
	var out []helpLine
	heading := func(text string) {
		if out != nil {
			out = append(out, helpLine{})
		}
		out = append(out, helpLine{style: term.Heading, text: text})
	}
	line := func(st term.Style, sign, text string) { out = append(out, helpLine{style: st, sign: sign, text: text}) }
	signs := func() {
		heading("Signs")
		line(term.Lead, g.Leader, "leads: its znode has the lowest number")
		line(term.Alarm, g.LeaderLost, "first in the queue, and does not lead: not acknowledged yet, not aware of it, killed, frozen, a ghost, or not heard from by the servers")
		line(term.Watch, g.Watch, "watches the one above it")
		line(term.Trouble, g.WatchWrong, "does not watch its predecessor")
		line(term.Watch, g.HerdHead+g.HerdMore, "the chain: who is below watches this one, where the arrow points; grey where that is only inferred")
		line(term.Trouble, g.HerdFrom+g.HerdMore, "watches the leader, like all the others: the herd")
		line(term.Watch, g.Up+" 12", "watches the znode with number 12")
		line(term.Good, g.Yes, "verified: a server's own table has that watch")
		line(term.Muted, g.Inferred, "inferred from the recipe; before an age: by the server's clock; before a duration: a guess")
		line(term.Alarm, g.Wrong, "it watches another znode or none: all servers said so, twice")
		line(term.Alarm, g.Critical, "a critical finding; "+g.Warning+" a warning; "+g.Info+" worth knowing")
		line(term.Alarm, g.Killed, "killed: its connection was cut, its znode still exists")
		line(term.Alarm, g.Frozen, "frozen: it reads, writes and decides nothing")
		line(term.Alarm, g.Parted, "cut off: nothing passes between it and the servers")
		line(term.Trouble, g.LosesReply, "the reply to its next create gets lost; "+g.NoGuid+" its next znode has no guid; "+g.SlowLead+" its leader procedure does not end")
		line(term.Lead, g.Notice, "a notification on its way from the deleted znode to its watcher")
		line(term.Text, g.H+g.ToRight, "in Messages: a request that ZooKeeper carried out, or what it sent; "+g.Expired+" where it was lost")
		line(term.You, g.Notice, "in Messages: held by ZooKeeper, in the order of the release")
		heading("Lanes: one for each candidate over time")
		line(term.Watch, g.Waits, "waits; "+g.Created+" its znode was created, "+g.Deleted+" deleted, "+g.Expired+" deleted as its session expired")
		line(term.Lead, g.Notice, "notified; "+g.Down+" comes from the deleted znode's lane")
		line(term.Gold, g.Block, "leads, as far as the znodes show; "+g.Elected+" elected: the leader procedure is running")
		line(term.Trouble, g.Danger, "silent: "+g.Killed+" killed, "+g.Frozen+" frozen or "+g.Parted+" cut off, and its znode still exists")
		line(term.Alarm, g.Believes, "believes it leads, and another does or may; "+g.Suspended+" suspended: it knows that it does not know")
		line(term.Muted, g.Nowhere, "no znode; "+g.Unseen+" not observed: electop had no connection")
		line(term.Alarm, g.Stale, "a stale write that was accepted; "+g.Written+" a write, "+g.Refused+" one that was refused")
		line(term.You, g.Playhead, "the moment that is shown, of all that happened; "+g.Play+" time passes")
	}
	for i, m := range modes {
		if of == 0 && i == 1 {
			// The signs and words are asked for more often than the keys of the
			// smaller modes.
			signs()
			heading("Words")
			line(term.Text, "silent", "from the old leader's stop until its znode was deleted")
			line(term.Text, "takeover", "from that deletion until the new leader acknowledged")
			line(term.Text, "vacant", "how long there was no candidate")
			line(term.Text, "token", "the fencing token, the leader's czxid: grows with each leader, so that storage can refuse an older one")
			line(term.Text, "safety", "never two leaders awake, and no accepted write of a deposed leader; double: a moment with two that believe they lead")
			line(term.Text, "liveness", "the part of the time in which somebody awake led; by the queue: in which a znode was first; by ack: and had acknowledged")
			line(term.Text, "beliefs not visible", "third-party candidates do not say whether they believe they lead, so doubles cannot be seen")
			line(term.Text, "ghost", "a znode that its owner does not know: the reply to its create was lost")
			line(term.Text, "missed", "changes that happened between two reads; the server counted them, electop did not see them")
		}
		if of == 0 && i == 1 {
			heading("Mouse")
			line(term.Text, "click", "selects a row, opens it if it is selected; gives a panel the focus; presses a key of the last line; on the time line goes to that time, and dragged along it with the pointer")
			line(term.Text, "wheel", "scrolls what is under the pointer")
			line(term.Text, "shift", "hold it to select text (iTerm2: option), or start with --no-mouse")
		}
		if of != 0 && of&m.mode == 0 {
			continue
		}
		heading(m.title)
		if m.note != "" {
			line(term.Text, "", m.note)
		}
		for _, b := range table {
			if b.Modes&m.mode != 0 {
				line(term.Key, b.Help().Key, longHelp(b))
			}
		}
	}
	if of != 0 {
		out = append(out, helpLine{}, helpLine{style: term.Key, sign: "?", text: "all keys, signs and words"})
		if of.Main() {
			signs()
		}
	}
	return out
}

// HelpLines is the help on lines of w cells: of some modes, or with 0 of all.
func HelpLines(table []Binding, g *term.Glyphs, w int, of Mode) [][]term.Span {
	const signs = 11
	var lines [][]term.Span
	for _, l := range helpLines(table, g, of) {
		w := w
		if l.sign != "" {
			w -= signs + 1
		}
		sign := l.sign
		for _, part := range term.OrBlank(term.Wrap(l.text, w)) {
			if l.sign == "" {
				lines = append(lines, []term.Span{{Style: l.style, Text: part}})
				continue
			}
			lines = append(lines, append(term.AppendColumn(nil, signs, l.style, sign), term.Span{Style: term.Text, Text: part}))
			sign = ""
		}
	}
	return lines
}

// longHelp says more than the footer has room for.
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
