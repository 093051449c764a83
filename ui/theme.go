package ui

import (
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/charmbracelet/lipgloss"
)

// Names of themes for [Options.Theme].
const (
	ThemeAuto  = "auto" // by NO_COLOR, then COLORFGBG, else dark; the terminal is not asked
	ThemeDark  = "dark"
	ThemeLight = "light"
	ThemeMono  = "mono" // attributes only
)

// nextTheme is the order in which the key goes through the themes.
func nextTheme(name string) string {
	switch name {
	case ThemeDark:
		return ThemeLight
	case ThemeLight:
		return ThemeMono
	}
	return ThemeDark
}

// resolveTheme replaces auto, and anything unknown, by what the environment
// says. COLORFGBG is "fg;bg" or "fg;default;bg" in the 16 colours; 7 and from
// 9 on are light backgrounds.
func resolveTheme(name string, getenv func(string) string) string {
	switch name {
	case ThemeDark, ThemeLight, ThemeMono:
		return name
	}
	if getenv("NO_COLOR") != "" {
		return ThemeMono
	}
	v := getenv("COLORFGBG")
	if bg, err := strconv.Atoi(v[strings.LastIndexByte(v, ';')+1:]); err == nil && (bg == 7 || bg >= 9 && bg <= 15) {
		return ThemeLight
	}
	return ThemeDark
}

// style is what a cell looks like, by meaning. The bit styleSelected adds the
// selected row's background.
type style uint8

const (
	styleText     style = iota
	styleStrong         // names, titles
	styleMuted          // what is there to be looked up
	styleFaint          // stale, impossible
	styleBorder         //
	styleFocus          // the border of the panel with the focus
	styleHeading        // recipe headings
	styleLead           // gold: who leads
	styleGold           // gold, not as loud
	styleWatch          // teal: a watch in order
	styleTrouble        // coral: trouble
	styleAlarm          // coral, loud
	styleGood           // green: connected, acknowledged
	styleYou            // violet: this process
	stylePast           // a reign that is over
	styleOnPast         // a name on it
	styleOnLead         // a name on the present reign
	styleOnFaint        // a name on a reign of a stale picture
	styleBadge          // the program's name
	styleBadgeHot       // a badge that says beware
	styleBadgeCut       // the paused badge
	styleKey            // a key in the footer
	styles

	styleSelected style = 0x80
)

// theme is every style, colour and glyph of the dashboard. No other file
// makes any; a test looks.
type theme struct {
	name  string
	sgr   [256]string // by style; "" is the terminal's own text
	reset string
	glyph glyphs
}

// shows reports whether the style can be seen on a blank.
func (t *theme) shows(st style) bool {
	if st&styleSelected != 0 {
		return true
	}
	switch st {
	case styleOnPast, styleOnLead, styleOnFaint, styleBadge, styleBadgeHot, styleBadgeCut:
		return true
	}
	return false
}

// glyphs are the signs. All are one cell wide.
type glyphs struct {
	Leader, LeaderLost, Watch, Selected          string
	HerdHead, HerdFrom, HerdMore, HerdLast       string
	Frozen, Killed, Next, Yes, Inferred, Up      string
	Online, Offline, Step, New, Arrow, Nobody    string
	Block, Vacant, Expired, Ended, Older, Danger string
	BarDone, BarSure, BarMaybe                   string
	H, V, TL, TR, BL, BR                         string
	Cursor                                       string
	Wrong, Critical, Warning, Info, WatchWrong   string
	Notice, Parted, NoGuid, LosesReply, SlowLead string
	Pointed, Elsewhere                           string
}

var signs = glyphs{
	Leader: "★", LeaderLost: "☆", Watch: "▴", Selected: ">",
	HerdHead: "◂", HerdFrom: "─", HerdMore: "┤", HerdLast: "╯",
	Frozen: "❄", Killed: "✗", Next: "next", Yes: "✓", Inferred: "~", Up: "↑",
	Online: "●", Offline: "◌", Step: "▸", New: "▸", Arrow: "→", Nobody: "–",
	Block: "█", Vacant: "░", Expired: "╳", Ended: "│", Older: "◂", Danger: "▒",
	BarDone: "█", BarSure: "░", BarMaybe: "·",
	H: "─", V: "│", TL: "╭", TR: "╮", BL: "╰", BR: "╯",
	Cursor: "█",
	Wrong:  "!", Critical: "◆", Warning: "◇", Info: "·", WatchWrong: "▵",
	Notice: "●", Parted: "⊘", NoGuid: "ø", LosesReply: "↯", SlowLead: "⧗",
	Pointed: "»", Elsewhere: "○",
}

// paint is a colour: for terminals with millions, and its stand-ins among 256
// and among 16. The nearest by numbers is often another hue to the eye.
type paint struct{ rich, mid, ansi string }

type palette struct {
	muted, faint, border, gold, teal, coral, green, violet, slate paint
	selected, onColour                                            paint
}

var (
	dark = palette{
		muted: paint{"#8b93a1", "246", "7"}, faint: paint{"#5c6470", "241", "8"}, border: paint{"#4b525c", "239", "8"},
		gold: paint{"#f2c14e", "221", "11"}, teal: paint{"#56b6c2", "73", "14"}, coral: paint{"#f0715c", "203", "9"},
		green: paint{"#8cc265", "113", "10"}, violet: paint{"#b79af5", "141", "13"}, slate: paint{"#8fa3bf", "109", "12"},
		selected: paint{"#2a303a", "236", ""}, onColour: paint{"#14171c", "233", "0"},
	}
	light = palette{
		muted: paint{"#5d6673", "241", "8"}, faint: paint{"#9aa2ad", "247", "8"}, border: paint{"#b6bcc6", "250", "7"},
		gold: paint{"#946200", "94", "3"}, teal: paint{"#0d7380", "30", "6"}, coral: paint{"#c2371f", "160", "1"},
		green: paint{"#3f7d20", "64", "2"}, violet: paint{"#6b3fc4", "91", "5"}, slate: paint{"#5c7397", "60", "4"},
		selected: paint{"#e4e9f1", "254", ""}, onColour: paint{"#ffffff", "231", "15"},
	}
)

// look is a style in one palette.
type look struct {
	fg, bg  paint
	bold    bool
	faint   bool
	reverse bool
}

func (p palette) looks() [styles]look {
	return [styles]look{
		styleStrong:   {bold: true},
		styleMuted:    {fg: p.muted},
		styleFaint:    {fg: p.faint},
		styleBorder:   {fg: p.border},
		styleFocus:    {fg: p.muted},
		styleHeading:  {fg: p.teal, bold: true},
		styleLead:     {fg: p.gold, bold: true},
		styleGold:     {fg: p.gold},
		styleWatch:    {fg: p.teal},
		styleTrouble:  {fg: p.coral},
		styleAlarm:    {fg: p.coral, bold: true},
		styleGood:     {fg: p.green},
		styleYou:      {fg: p.violet},
		stylePast:     {fg: p.slate},
		styleOnPast:   {fg: p.onColour, bg: p.slate},
		styleOnLead:   {fg: p.onColour, bg: p.gold, bold: true},
		styleOnFaint:  {fg: p.onColour, bg: p.faint},
		styleBadge:    {fg: p.onColour, bg: p.gold, bold: true},
		styleBadgeHot: {fg: p.onColour, bg: p.coral, bold: true},
		styleBadgeCut: {fg: p.onColour, bg: p.violet, bold: true},
		styleKey:      {bold: true},
	}
}

// monoLooks has no colour: every meaning is in the words and glyphs already.
var monoLooks = [styles]look{
	styleStrong:   {bold: true},
	styleFaint:    {faint: true},
	styleBorder:   {faint: true},
	styleHeading:  {bold: true},
	styleLead:     {bold: true},
	styleAlarm:    {bold: true},
	styleOnPast:   {reverse: true},
	styleOnLead:   {reverse: true, bold: true},
	styleOnFaint:  {reverse: true, faint: true},
	styleBadge:    {reverse: true, bold: true},
	styleBadgeHot: {reverse: true, bold: true},
	styleBadgeCut: {reverse: true, bold: true},
	styleKey:      {bold: true},
}

// newTheme compiles a theme for what r's terminal can do. A terminal without
// colours still gets attributes.
func newTheme(name string, r *lipgloss.Renderer) *theme {
	looks, selected := monoLooks, paint{}
	switch name {
	case ThemeDark:
		looks, selected = dark.looks(), dark.selected
	case ThemeLight:
		looks, selected = light.looks(), light.selected
	}
	t := &theme{name: name, reset: "\x1b[0m", glyph: signs}
	profile := r.ColorProfile()
	colour := func(p paint, background bool) string {
		v := p.rich
		switch profile.Name() {
		case "ANSI":
			v = p.ansi
		case "ANSI256":
			v = p.mid
		}
		if v == "" {
			return ""
		}
		return profile.Color(v).Sequence(background)
	}
	for st, l := range looks {
		plain := colour(l.bg, true)
		on := plain
		if on == "" {
			on = colour(selected, true)
		}
		noColour := on == "" // the selected row has to show all the same
		t.sgr[st] = sequence(l, colour(l.fg, false), plain, l.reverse || l.bg != (paint{}) && plain == "")
		t.sgr[style(st)|styleSelected] = sequence(l, colour(l.fg, false), on, noColour)
	}
	return t
}

// sequence is the escape sequence for a look with these colours.
func sequence(l look, fg, bg string, reverse bool) string {
	var codes []string
	for _, c := range []struct {
		on   bool
		code string
	}{{l.bold, "1"}, {l.faint, "2"}, {reverse, "7"}, {fg != "", fg}, {bg != "", bg}} {
		if c.on {
			codes = append(codes, c.code)
		}
	}
	if len(codes) == 0 {
		return ""
	}
	return "\x1b[" + strings.Join(codes, ";") + "m"
}

// renderer returns the one that knows what colours out can show.
func renderer(o Options) *lipgloss.Renderer {
	if o.Renderer != nil {
		return o.Renderer
	}
	var out io.Writer = os.Stdout
	if o.Output != nil {
		out = o.Output
	}
	return lipgloss.NewRenderer(out)
}
