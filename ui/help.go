package ui

// helpLine is a line of the help: a heading, a key or sign with its meaning,
// or blank.
type helpLine struct {
	style      style
	sign, text string
}

// helpLines is the help: the keys by mode, the signs, the words.
func (d *dashboard) helpLines(th *theme) []helpLine {
	g := &th.glyph
	var out []helpLine
	heading := func(text string) {
		if out != nil {
			out = append(out, helpLine{})
		}
		out = append(out, helpLine{styleHeading, "", text})
	}
	line := func(st style, sign, text string) { out = append(out, helpLine{st, sign, text}) }
	for i, m := range modes {
		if i == 1 {
			// The signs and words are asked for more often than the keys of the
			// smaller modes.
			heading("Signs")
			line(styleLead, g.Leader, "leads: its znode has the lowest number")
			line(styleAlarm, g.LeaderLost, "first in the queue, but killed, frozen, or not heard from by the servers")
			line(styleWatch, g.Watch, "watches the one above it")
			line(styleTrouble, g.WatchWrong, "does not watch whom it should")
			line(styleTrouble, g.HerdFrom+g.HerdMore, "watches the leader, as all the others do: the herd")
			line(styleWatch, g.Up+" 12", "watches the znode with number 12")
			line(styleGood, g.Yes, "verified: a server's own table has that watch")
			line(styleMuted, g.Inferred, "inferred from the recipe; before an age: by the server's clock; before a duration: a guess")
			line(styleAlarm, g.Wrong, "it watches another, or nothing: all servers said so, twice")
			line(styleAlarm, g.Critical, "a critical finding; "+g.Warning+" a warning; "+g.Info+" worth knowing")
			line(styleAlarm, g.Killed, "killed: its connection was cut, its znode still stands")
			line(styleAlarm, g.Frozen, "frozen: it neither reads nor writes nor knows")
			line(styleAlarm, g.Parted, "cut off: nothing passes between it and the servers")
			line(styleTrouble, g.LosesReply, "the reply to its next create gets lost; "+g.NoGuid+" its next znode has no guid; "+g.SlowLead+" its leader procedure does not end")
			line(styleLead, g.Notice, "a notification, on its way from the deleted znode to who watched it")
			line(stylePast, g.Block, "a reign; "+g.Ended+" its end, "+g.Expired+" by expiry, "+g.Danger+" its leader in trouble")
			line(styleTrouble, g.Vacant, "vacant: nobody stood")
			heading("Words")
			line(styleText, "silent", "from the old leader's stop until its znode was deleted")
			line(styleText, "takeover", "from that deletion until the new leader acknowledged")
			line(styleText, "vacant", "how long nobody stood for election")
			line(styleText, "fence", "the leader's czxid: grows with each leader, so that storage can refuse an older one")
			line(styleText, "safety", "never two leaders awake, and no write of a deposed one accepted; double: a moment with two that believe")
			line(styleText, "liveness", "the part of the time in which somebody awake led")
			line(styleText, "ghost", "a znode whose owner does not know of it: the reply to its create was lost")
			line(styleText, "missed", "changes that happened between two reads; counted by the server, seen by nobody")
		}
		heading(m.title)
		if m.note != "" {
			line(styleText, "", m.note)
		}
		for _, b := range d.table {
			if b.modes&m.mode != 0 {
				line(styleKey, b.Help().Key, longHelp(b))
			}
		}
	}
	return out
}

func (d *dashboard) drawHelp(f *frame) {
	const signs = 11
	inside := min(d.w-4, 92) - 2
	var lines [][]span
	for _, l := range d.helpLines(f.th) {
		w := inside - 2
		if l.sign != "" {
			w -= signs + 1
		}
		sign := l.sign
		for _, part := range orBlank(wrap(l.text, w)) {
			if l.sign == "" {
				lines = append(lines, []span{{l.style, part, 0}})
				continue
			}
			lines = append(lines, append(column(signs, l.style, sign), span{styleText, part, 0}))
			sign = ""
		}
	}
	d.drawOverlay(f, "Help", 92, lines)
}
