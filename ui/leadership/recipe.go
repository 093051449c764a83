package leadership

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/phrase"
	"electop/model/units"
	"electop/model/znode"
	"electop/ui/term"
	"electop/ui/wording"
)

type part struct {
	heading string
	first   model.Step
	lines   []string
}

// codes has the recipes of other kinds than elections as pseudo code. electop's participants report the
// numbers of the lines as their steps; electop has no participants for two-phase commit.
var codes = map[dialect.Kind][]part{
	dialect.KindLock: inTurn("To acquire the lock", "While holding", "create lock-  SEQUENCE|EPHEMERAL", "watch n_j, the largest j < i in C",
		"mine is the smallest: I hold", "otherwise watch the new n_j", "use what the lock protects"),
	dialect.KindShared: inTurn("To acquire the lock", "While holding", "create read- or write- SEQ|EPHEMERAL", "watch the last write- (writer: any)",
		"nothing to watch: I hold", "otherwise watch the new one", "use what the lock protects"),
	dialect.KindGroup:   {{"To be a member", 1, []string{"create my name  EPHEMERAL", "getChildren with a watch", "notified: getChildren again"}}},
	dialect.KindBarrier: {{"To set it", 1, []string{"create the znode"}}, {"To wait", 2, []string{"exists with a watch", "absent: go on"}}, {"To open it", 4, []string{"delete the znode"}}},
	dialect.KindDouble: {{"To enter b", 1, []string{"create b/p  EPHEMERAL", "exists b/ready with a watch", "getChildren; all came: create ready", "ready exists: go on"}},
		{"To leave b", 5, []string{"getChildren", "the lowest waits for the highest", "others: delete, wait for the lowest", "nobody left: go on"}}},
	dialect.KindQueue:  {{"To add an item", 1, []string{"create queue-  SEQUENCE"}}, {"To take one", 2, []string{"getChildren, sort", "get and delete the first", "empty: watch the list"}}},
	dialect.KindCommit: {{"To decide", 1, []string{"coordinator: a znode for each site", "site: write commit or abort", "all wrote commit: commit"}}},
}

func code(kind dialect.Kind, herd bool, ack string) []part {
	if parts := codes[kind]; parts != nil {
		return parts
	}
	watch, again := "watch n_j, the largest j < i in C", "otherwise watch the new n_j"
	if herd {
		watch, again = "watch the smallest: the leader", "otherwise watch the new leader"
	}
	lead := "acknowledge: create ELECTION-leader"
	if ack != "" {
		lead = "acknowledge: create " + znode.Safe(znode.Base(ack), 20)
	}
	return inTurn("To volunteer", "When leading", "create guid-n_  SEQUENCE|EPHEMERAL", watch, "mine is the smallest: I lead", again, "run the leader procedure", lead)
}

func inTurn(to, when, create, watch, first, again string, lead ...string) []part {
	return []part{
		{to, model.StepCreate, []string{create, "C := getChildren, i := my number", watch}},
		{"When the watched znode is deleted", model.StepListAgain, []string{"C := getChildren", first, again}}, {when, model.StepLead, lead},
	}
}

func lineOf(parts []part, step model.Step) string {
	for _, p := range parts {
		if i := int(step - p.first); i >= 0 && i < len(p.lines) {
			return p.lines[i]
		}
	}
	return ""
}

const (
	RecipeLines    = 11 // the height of the longest code
	barLines       = 3  // the height of the bars below the code
	olderShown     = 5  // the most lines of earlier handoffs
	situationLines = 4  // the usual height of the situation

	lastHandoffShown = 5 * time.Second // usual time for which the situation describes a handoff
	watchesChecked   = 50              // [Recipe.quiet] checks only the watches at positions below this
)

// Recipe is the panel of the recipe.
type Recipe struct {
	State   *doctor.State
	Focused bool
	Held    map[uint64]*model.Message // the next message held for each session
	Since   time.Time                 // the panel shows no older handoffs; zero for no limit
}

type recipePlan struct {
	parts           []part
	bars            bool
	older           int // lines of earlier handoffs
	pace, situation []string

	between, beforeBars, beforeSituation bool // places of blank lines
}

// planned computes the layout. The bars have priority over the situation.
func (v *Recipe) planned(a term.Area, herd bool, now situation, c model.Costs) (x recipePlan) {
	s, w := v.State, a.Width()-2
	x.parts = code(s.Kind(), herd, s.Ack.Path)
	room, bars := a.Height()-RecipeLines, s.Queue.Len() > 1
	if bars && (herd || len(c.Herd) > 0) {
		for _, i := range []int{0, len(x.parts) - 1} {
			if room < barLines {
				room += 1 + len(x.parts[i].lines)
				x.parts[i].lines = nil
			}
		}
	}
	take := func(n int) bool {
		if n > room {
			return false
		}
		room -= n
		return true
	}
	fit := func(lines []string) []string {
		lines = lines[:max(0, min(len(lines), room))]
		room -= len(lines)
		return lines
	}
	x.pace = fit(term.Wrap(wording.PaceLine(s), w))
	x.bars = bars && take(barLines)
	for _, line := range now.lines {
		x.situation = append(x.situation, term.Wrap(line, w)...)
	}
	x.situation = fit(x.situation)
	// Room for a longer situation stays free, so that the code does not move.
	kept := max(0, min(room, situationLines-len(x.situation)))
	room -= kept
	if aside := term.Wrap(now.aside, w); len(aside) > 0 && kept+room > len(aside) {
		x.situation = append(x.situation, aside...)
		room -= max(0, len(aside)-kept)
	}
	if x.bars && (len(c.Chain) > 1 || len(c.Herd) > 1) && take(1) {
		x.older = 1
	}
	x.beforeSituation = len(x.situation)+len(x.pace) > 0 && take(1)
	x.beforeBars = x.bars && take(1)
	x.between = take(2)
	if x.older > 0 {
		x.older += room
	}
	return x
}

// Draw draws the panel.
func (v *Recipe) Draw(f *term.Frame, r term.Rect) {
	s := v.State
	if di := s.Dialect; di != nil && (di.Foreign() || codes[s.Kind()] != nil) {
		v.drawForeign(f, r, di)
		return
	}
	herd := wording.IsHerd(s)
	tail := wording.PaceSpans(s)
	if herd {
		tail = append(tail, term.Span{Style: term.Trouble, Text: "herd"})
	}
	a := f.Box(r, "Recipe", v.Focused, term.TrimSpans(tail)...)
	active, now, c := v.steps(f), v.situation(f), s.Costs(v.Since)
	x := v.planned(a, herd, now, c)
	y := 0
	blank := func(on bool) {
		if on {
			y++
		}
	}
	for _, p := range x.parts {
		if p.lines == nil {
			continue
		}
		blank(y > 0 && x.between)
		y = v.drawPart(f, a, y, p, herd, active)
	}
	if x.bars {
		blank(x.beforeBars)
		y = v.drawHerdBars(f, a, y, herd, c, x.older)
	}
	blank(x.beforeSituation)
	for i, line := range append(x.pace, x.situation...) {
		st := now.style
		if i < len(x.pace) {
			st = term.You
		}
		a.Pen(y+i).Gap(1).Text(st, line)
	}
}

func (v *Recipe) drawPart(f *term.Frame, a term.Area, y int, p part, herd bool, active [model.StepAcknowledge + 1]activity) int {
	a.Pen(y).Gap(1).Text(term.Heading, p.heading)
	for j, text := range p.lines {
		y++
		step := p.first + model.Step(j)
		wakesHerd := herd && (step == model.StepWatch || step == model.StepWatchAgain)
		v.drawStep(f, a, y, step, text, wakesHerd, active[step])
	}
	return y + 1
}

func (v *Recipe) drawStep(f *term.Frame, a term.Area, y int, step model.Step, text string, wakesHerd bool, now activity) {
	p := a.Pen(y).Gap(1)
	number, line := term.Muted, term.Muted
	if wakesHerd {
		line = term.Trouble
	}
	mark := " "
	if len(now.names) > 0 {
		mark, number, line = f.Theme.Glyph.Step, term.Strong, term.Strong
		if wakesHerd {
			line = term.Alarm
		}
		if now.detail != "" {
			text = now.detail
		}
	}
	p.Text(term.Lead, mark).Gap(1).Text(number, strconv.Itoa(int(step))).Gap(1)
	names := fitNames(now.names, max(8, p.Room()-1-term.Width(text)-2))
	if names != "" {
		// The names are more useful than the end of the line.
		room := p.Room() - 1 - term.Width(names) - 2
		p.Text(line, term.Cut(text, room)).Gap(2).Text(term.Lead, names)
		return
	}
	p.Fit(p.Room()-1, line, text)
}

func (v *Recipe) drawRunning(f *term.Frame, a term.Area, y, n int) int {
	for step, now := range v.steps(f) {
		if len(now.names) == 0 || n <= 0 {
			continue
		}
		text := lineOf(code(v.State.Kind(), wording.IsHerd(v.State), v.State.Ack.Path), model.Step(step))
		v.drawStep(f, a, y, model.Step(step), text, false, now)
		y, n = y+1, n-1
	}
	return y
}

func fitNames(names []string, w int) string {
	for n := min(len(names), 3); n > 0; n-- {
		text := strings.Join(names[:n], ", ")
		if more := len(names) - n; more > 0 {
			text += " +" + strconv.Itoa(more)
		}
		if term.Width(text) <= w {
			return text
		}
	}
	if len(names) == 0 {
		return ""
	}
	return term.Cut(names[0], w)
}

// drawHerdBars draws a bar for the chain and one for the herd: how many watchers a handoff notifies.
func (v *Recipe) drawHerdBars(f *term.Frame, a term.Area, y int, herd bool, c model.Costs, older int) int {
	s, g := v.State, &f.Theme.Glyph
	notifies := func(rule dialect.Recipe, counted []*model.ReportedDeletion) int {
		if len(counted) > 0 {
			return counted[0].Others()
		}
		return rule.Notified(s.Queue, 0)
	}
	const numbers = 8 + 5 + 9 // notified, requests, bytes
	chain, all := notifies(dialect.Election(), c.Chain), notifies(dialect.Herd(), c.Herd)
	most := max(chain, all, 1)
	cells := max(4, min(24, a.Width()-2-6-numbers))
	counted := c.Chain != nil || c.Herd != nil
	p := a.Pen(y).Gap(1)
	if counted {
		p.Fit(6+cells, term.Muted, "per handoff").Right(8, term.Muted, "notified").Right(5, term.Muted, "req").Right(9, term.Muted, "bytes")
	} else {
		p.Text(term.Muted, "per handoff  ").Text(term.Text, strconv.Itoa(s.Recipe.Notified(s.Queue, 0))+" notified")
	}
	for _, b := range []struct {
		name     string
		st       term.Style
		on       bool
		n        int
		handoffs []*model.ReportedDeletion
		remark   string
	}{{"chain", term.Watch, !herd, chain, c.Chain, "  if each had one watcher"}, {"herd", term.Trouble, herd, all, c.Herd, "  if all watched the leader"}} {
		y++
		st, fill, colour, glyph := term.Muted, b.n, b.st, g.Block
		if b.on {
			st = term.Text
		}
		if most > cells {
			fill = (b.n*cells + most - 1) / most
		}
		if len(b.handoffs) == 0 && (counted || !b.on) { // predicted; without counts, the recipe in use keeps its colour
			colour, glyph = term.Muted, g.Vacant
		}
		p, bar := a.Pen(y).Gap(1).Fit(6, st, b.name), strings.Repeat(glyph, fill)
		switch n := strconv.Itoa(b.n); {
		case len(b.handoffs) > 0:
			drawCount(p.Fit(cells, colour, bar), st, b.handoffs[0])
		case counted:
			p.Fit(cells, colour, bar).Right(numbers, term.Muted, "would notify "+n)
		default:
			p.Fit(2+min(most, cells), colour, bar).Text(st, n)
			if !b.on && term.Width(b.remark) < p.Room() {
				p.Text(term.Muted, b.remark)
			}
		}
	}
	return v.drawOlder(f, a, y+1, cells, older, c)
}

func (v *Recipe) drawOlder(f *term.Frame, a term.Area, y, cells, n int, c model.Costs) int {
	var older []*model.ReportedDeletion
	for _, list := range [][]*model.ReportedDeletion{c.Chain, c.Herd} {
		older = append(older, list[min(1, len(list)):]...)
	}
	if len(older) == 0 || n == 0 {
		return y
	}
	slices.SortStableFunc(older, func(a, b *model.ReportedDeletion) int { return cmp.Compare(b.Zxid, a.Zxid) })
	p := a.Pen(y).Gap(1).Text(term.Muted, "before")
	y++
	if n == 1 {
		for _, w := range older {
			name, st := ruleOf(w)
			text := "  " + name + " " + strconv.Itoa(w.Others())
			if term.Width(text) >= p.Room() {
				break
			}
			p.Text(st, text)
		}
		return y
	}
	for _, w := range older[:min(len(older), n-1, olderShown)] {
		name, _ := ruleOf(w)
		drawCount(a.Pen(y).Gap(1).Fit(6, term.Muted, name).Fit(cells, term.Muted, f.Clock(w.Deleted)), term.Muted, w)
		y++
	}
	return y
}

func ruleOf(w *model.ReportedDeletion) (string, term.Style) {
	if w.Herd() {
		return "herd", term.Trouble
	}
	return "chain", term.Watch
}

func drawCount(p *term.Pen, st term.Style, w *model.ReportedDeletion) {
	plus := ""
	if !w.Settled {
		plus, st = "+", term.Strong
	}
	p.Right(8, st, strconv.Itoa(w.Others())).
		Right(5, st, strconv.Itoa(w.Requests)+plus).
		Right(9, st, wording.BytesOf(w.BytesIn+w.BytesOut)+plus)
}

// drawForeign draws the recipe of a third-party system, or of another kind than an election.
func (v *Recipe) drawForeign(f *term.Frame, r term.Rect, di *dialect.Dialect) {
	s := v.State
	var tail []term.Span
	if wording.IsHerd(s) || di.ChildWatch {
		tail = append(tail, term.Span{Style: term.Trouble, Text: "herd"})
	}
	a := f.Box(r, "Recipe", v.Focused, tail...)
	const names = 9
	y := 0
	heading := func(text string) {
		if y > 0 && a.Height() > 16 {
			y++
		}
		y = a.Paragraph(y, 1, a.Width()-2, term.Heading, text)
	}
	line := func(name, text string) {
		for i, part := range term.Lines(text, a.Width()-names-6) {
			if i > 0 {
				name = ""
			}
			a.Pen(y).Gap(3).Fit(names, term.Muted, name).Gap(1).Text(term.Text, part)
			y++
		}
	}
	w := phrase.RoleOf(s)
	heading(map[bool]string{false: s.System(), true: wording.Capital(s.Kind().String())}[s.Roleless() && di.Unknown()])
	parts := codes[s.Kind()]
	if di.ChildWatch || dialect.Queueless(s.Recipe) {
		parts = nil // codes has a different recipe
	}
	runs := parts != nil && len(s.Members) > 0
	if !runs && !s.Roleless() {
		v.roleLines(di, w, line)
	}
	if !s.Dialect.Elects() && !s.Roleless() || s.NoLeader() == model.Unsupported {
		return
	}
	if !s.Roleless() && !runs {
		heading(map[bool]string{false: "When the " + w.Holder + " goes", true: "When the znode is deleted"}[di.Single])
		line("then", then(di, w))
		if n := s.Holders(); !di.Single && n < s.Queue.Len() {
			line("wakes", v.wakes(f, w))
		}
	}
	switch {
	case parts != nil && y+RecipeLines+2 <= a.Height():
		for _, p := range parts {
			if a.Height() > 16 {
				y++
			}
			y = v.drawPart(f, a, y, p, false, v.steps(f))
		}
	case len(s.Members) > 0:
		y = v.drawRunning(f, a, y, min(3, a.Height()-y-4))
	}
	now := v.situation(f)
	if y < a.Height()-1 {
		y++
	}
	for _, text := range now.lines {
		y = a.Paragraph(y, 1, a.Width()-2, now.style, text)
	}
}

func (v *Recipe) wakes(f *term.Frame, w phrase.Role) string {
	s := v.State
	others, woken := " of the "+f.Int(int64(s.Queue.Len()-1))+" others", s.Recipe.Notified(s.Queue, 0)
	text := f.Int(int64(woken)) + others
	if s.Holders() > 1 && woken == 0 {
		text = "nobody yet: others still hold"
	} else if x := s.LeaderWatchers(); x != nil {
		text = f.Int(int64(x.Candidates)) + others
		if len(x.Others) > 0 {
			text += ", and " + units.Count(len(x.Others), "session that is no "+w.One, "sessions that are no "+w.Many)
		}
		if x.Why != "" {
			text = "at least " + text
		}
	}
	return text
}

func (v *Recipe) roleLines(di *dialect.Dialect, w phrase.Role, add func(name, text string)) {
	s := v.State
	switch {
	case !s.Dialect.Elects():
		add("leader", "unknown. The children have numbers, but nothing shows that they are candidates: no server reported a watch on a predecessor, and the names are not alike. v queries the servers.")
		return
	case s.NoLeader() == model.Unsupported:
		add("leader", "unknown. electop does not know how this system elects.")
		return
	case di.Single:
		add(w.Has, "whoever creates "+znode.Safe(s.Path, 60)+": an ephemeral znode, deleted with its creator's session")
	case s.Holders() > 1:
		add(w.Has, "the first "+strconv.Itoa(s.Holders())+" of the queue, together")
	default:
		add(w.Has, "the first of the queue")
	}
	add("watches", di.Watches)
	ack := di.Ack(s.Path)
	for _, path := range ack.Paths() {
		add("ack", znode.Safe(path, 80))
	}
	switch {
	case ack.Paths() != nil:
	case ack.Child != "":
		add("ack", "a child "+znode.Safe(ack.Child, 40)+" of the leader's session")
	case di.Unknown():
		add("ack", "not known")
	case !s.Dialect.Locks():
		add("ack", "none: its leader creates no such znode")
	}
}

func then(di *dialect.Dialect, w phrase.Role) string {
	switch {
	case di.Single:
		return "the others race to create it again. There is no queue, so nobody is next."
	case di.Kind() == dialect.KindShared:
		return "its watchers list again: a reader holds if no writer is before it."
	case di.ChildWatch:
		return "every waiting candidate is notified, lists the children again, and checks whether it is first."
	}
	return "its watcher lists the children again, and " + w.Has + " if it is first."
}

type situation struct {
	style term.Style
	lines []string
	aside string // only shown if there is room
}

func (v *Recipe) situation(f *term.Frame) situation {
	s := v.State
	st, text := v.noLeader()
	if text == "" {
		st, text = v.handoff(f)
	}
	if text == "" {
		st, text = v.quiet()
	}
	out := situation{style: st, lines: []string{text}}
	switch {
	case wording.Foreign(s) != nil:
	case len(s.Members) == 0:
		out.lines = append(out.lines, "Steps are shown only for electop's candidates; there are none here.")
	case strings.HasPrefix(text, "Everybody watches"):
		out.aside = "An old recipe page said: watch the smallest j < i. That is the leader."
	}
	return out
}

func (v *Recipe) noLeader() (term.Style, string) {
	s := v.State
	if s.Phase != model.Live && !phrase.Open(s) {
		return term.Muted, "Nothing to see yet."
	}
	if of, sure := s.GhostOf(s.First()); sure {
		return term.Alarm, "First is the ghost of " + znode.Safe(of, znode.NameMax) + ": a znode whose create reply was lost. Its owner does not know this znode, so nobody leads until the owner's session ends or somebody deletes the znode."
	}
	switch e := phrase.NoLeader(s); {
	case s.Leader() != nil:
		return 0, ""
	case phrase.Unclear(s):
		return term.Muted, "Nothing shows that this is an election."
	case wording.Single(s):
		return term.Trouble, "Nobody leads: the znode does not exist. The next to create it leads."
	case s.Queue.Len() > 0 || e.Severity == "":
		return wording.Style(e.Severity), wording.Sentence(e.Sentence)
	}
	return term.Text, s.Words("There is no candidate. The first one to join has the smallest znode and leads.")
}

func (v *Recipe) handoff(f *term.Frame) (term.Style, string) {
	s, l := v.State, v.State.Leader()
	if t, ok := wording.ExpiryOf(s, s.LeaderRow()); ok && t.Faulty() {
		return term.Trouble, "waiting: " + fmt.Sprintf(map[bool]string{false: "nobody is notified until the znode %s is deleted", true: "the znode %s stays until its session expires"}[s.Holders() > 1], phrase.Brief(l))
	} else if ok {
		words := "The servers receive nothing from " + l.Label() + ". Until its session expires nobody is notified"
		if t.Found.Next != nil && s.Holders() == 1 {
			words += "; then " + phrase.NextWords(s) + map[bool]string{false: " takes over", true: " take over"}[len(s.Next()) > 1]
		}
		return term.Trouble, words + "."
	}
	if h := wording.Newest(s); h != nil && h.To != nil && h.From != nil && !h.At.Before(v.Since) {
		deleted, smallest := phrase.Brief(h.From)+" was deleted", h.To.Label()+" is the smallest now."
		if n := wording.OnTheWay(s, h.From); n > 0 {
			return term.Text, deleted + ", and " + units.Count(n, "notification of it is", "notifications of it are") + " still on the way. " + smallest
		}
		if ago := f.Picture.Sub(h.At); ago >= 0 && ago < lastHandoffShown {
			f.At(h.At.Add(lastHandoffShown))
			return term.Text, deleted + notified(s, h) + ". " + smallest
		}
	}
	switch s.Lead() {
	case doctor.Leads, doctor.AtRisk, doctor.Faulty:
		return 0, ""
	}
	return wording.Style(phrase.Lead(s).Severity), phrase.RoleHolders(s, phrase.Label) + "."
}

func (v *Recipe) quiet() (term.Style, string) {
	s, l, di := v.State, v.State.Leader(), wording.Foreign(v.State)
	before := "before its own"
	switch w := s.LeaderWatchers(); {
	case wording.Single(s):
		return term.Muted, l.Label() + " leads while its session lives."
	case s.Queue.Len() == 1:
		return term.Muted, phrase.RoleHolders(s, phrase.Label) + " alone. Nobody would take over."
	case s.Queue.Len() == s.Holders():
		return term.Muted, phrase.RoleHolders(s, phrase.Label) + " together. Nobody waits."
	case w != nil && w.Candidates > 2 && di != nil && s.Kind() != dialect.KindShared:
		return term.Trouble, fmt.Sprintf(s.Words("%d candidates watch ")+"%s: its deletion wakes them all, and each lists all the children.", w.Candidates, phrase.Brief(l))
	case di != nil:
		for i := s.Holders(); i < s.Queue.Len() && i < watchesChecked; i++ {
			if wording.WrongEdge(s.Edge(i)) {
				return term.Trouble, s.Queue.At(i).Label() + " does not watch its predecessor: it may never learn that its turn has come."
			}
		}
		if di.ChildWatch {
			return term.Muted, "quiet: nobody polls. Each waits for a change of the list."
		}
		before = "that it watches"
	}
	if wording.IsHerd(s) {
		return term.Trouble, fmt.Sprintf("Everybody watches %s: its deletion wakes %d, and each lists all the children.", phrase.Brief(l), s.Recipe.Notified(s.Queue, 0))
	}
	return term.Muted, "quiet: nobody polls. Each waits for one deletion, that of the znode " + before + "."
}

func notified(s *doctor.State, h *model.Handoff) string {
	n, role := h.Notified, phrase.RoleOf(s)
	for i := len(s.Deletions) - 1; i >= 0; i-- {
		if w := s.Deletions[i]; w.Candidate != nil && w.Candidate.ID() == h.From.ID() {
			n = w.Others()
			break
		} else if i == 0 {
			return "" // not counted
		}
	}
	switch {
	case n == 0:
		return ", and nobody was notified"
	case n == 1:
		return " and 1 " + role.One + " was notified"
	case n <= s.Holders():
		return " and " + strconv.Itoa(n) + " were notified"
	}
	return " and " + strconv.Itoa(n) + " were notified, to find one new " + role.Holder
}
