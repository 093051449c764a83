package term

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/charmbracelet/lipgloss"
)

// init sets the background. Otherwise Bubbletea's init makes Lip Gloss query the terminal, which can take five
// seconds. Of the packages that can be initialised next, Go takes the first by path: this one before Bubbletea.
func init() { lipgloss.SetHasDarkBackground(true) }

// Names of themes.
const (
	Auto  = "auto" // according to NO_COLOR, then COLORFGBG
	Dark  = "dark"
	Light = "light"
	Mono  = "mono" // attributes only
)

// NextTheme returns the theme after name, in the order of the key T.
func NextTheme(name string) string {
	return map[string]string{Dark: Light, Light: Mono, Mono: Dark}[name]
}

// ResolveTheme replaces auto and unknown names with the theme for the environment.
// COLORFGBG is "fg;bg" or "fg;default;bg", with numbers of the 16 colours.
func ResolveTheme(name string, getenv func(string) string) string {
	switch name {
	case Dark, Light, Mono:
		return name
	}
	if getenv("NO_COLOR") != "" {
		return Mono
	}
	v := getenv("COLORFGBG")
	if bg, err := strconv.Atoi(v[strings.LastIndexByte(v, ';')+1:]); err == nil && (bg == 7 || bg >= 9 && bg <= 15) {
		return Light
	}
	return Dark
}

// Style names the meaning of a cell, below with examples. The bit Selected adds the background of the selected row.
type Style uint8

const (
	Text   Style = iota
	Strong       // names, titles
	Muted        // less important
	Faint        // stale, impossible
	Border       // border of a panel
	Focus        // border of the panel with the focus
	Heading
	Lead      // gold: who leads
	Gold      // gold, not bold
	Watch     // teal: a correct watch, waiting
	Trouble   // coral
	Alarm     // coral, bold
	Good      // green: connected, acknowledged
	You       // violet: this process, the user's text, held messages, the playhead
	Past      // an ended leadership; a candidate that reads the list again
	OnFaint   // Hot or Warm in a stale picture or behind an overlay
	Badge     // the program's name, a key to press now
	BadgeHeld // the badge of a pause or of time travel
	Key
	Hot   // background: being notified
	Warm  // background: reading the list again after a notification
	Heat1 // background: notified once
	Heat2 // background: notified twice
	Heat3 // background: notified three times or more
	styles

	Selected Style = 0x80
)

// Theme holds the escape sequence of each style, and the signs.
type Theme struct {
	Name  string
	codes [256]string // escape sequence of each style; "": the terminal's default
	shows [256]bool   // whether Render writes blanks in the style at the end of a line
	reset string
	Glyph Glyphs
}

// Glyphs are the signs. Each but Next is one cell wide.
type Glyphs struct {
	Leader, LeaderLost, Watch, Selected          string
	HerdHead, HerdFrom, HerdMore, HerdLast       string
	Frozen, Killed, Next, Yes, Inferred, Up      string
	Online, Offline, Step, New, Arrow, Nobody    string
	Block, Vacant, Expired, Danger               string
	Elected                                      string
	H, V, TL, TR, BL, BR                         string
	Cursor                                       string
	Wrong, Critical, Warning, Info, WatchWrong   string
	Notice, Parted, NoGuid, LosesReply, SlowLead string
	Pointed, Elsewhere                           string
	ToLeft, ToRight                              string // heads of arrows
	// Signs of the lanes: each lane shows one candidate over time.
	Waits, Suspended, Nowhere, Believes     string
	Created, Deleted, Down, Crossed, Tick   string
	Written, Refused, Stale, Playhead, Play string
	Unseen                                  string
}

var signs = Glyphs{
	Leader: "★", LeaderLost: "☆", Watch: "▴", Selected: ">",
	HerdHead: "◂", HerdFrom: "─", HerdMore: "┤", HerdLast: "╯",
	Frozen: "❄", Killed: "✗", Next: "next", Yes: "✓", Inferred: "~", Up: "↑",
	Online: "●", Offline: "◌", Step: "▸", New: "▸", Arrow: "→", Nobody: "–",
	Block: "█", Vacant: "░", Expired: "╳", Danger: "▒",
	Elected: "▓",
	H:       "─", V: "│", TL: "╭", TR: "╮", BL: "╰", BR: "╯",
	Cursor: "█",
	Wrong:  "!", Critical: "◆", Warning: "◇", Info: "·", WatchWrong: "▵",
	Notice: "●", Parted: "⊘", NoGuid: "ø", LosesReply: "↯", SlowLead: "⧗",
	Pointed: "»", Elsewhere: "○",
	ToLeft: "◂", ToRight: "▸",
	Waits: "─", Suspended: "╌", Nowhere: "·", Believes: "!",
	Created: "├", Deleted: "┤", Down: "│", Crossed: "┼", Tick: "┴",
	Written: "·", Refused: "/", Stale: "x", Playhead: "▲", Play: "▶", Unseen: "?",
}

// paint is a colour for terminals with 24-bit, 256 and 16 colours. An empty field is no colour. No field is
// computed from another, because the nearest of 16 colours can have another hue.
type paint struct{ rich, mid, ansi string }

type palette struct {
	muted, faint, border, gold, teal, coral, green, violet, slate paint
	selected, onColour                                            paint
	heat                                                          [3]paint
}

var (
	dark = palette{
		muted: paint{"#8b93a1", "246", "7"}, faint: paint{"#5c6470", "241", "8"}, border: paint{"#4b525c", "239", "8"},
		gold: paint{"#f2c14e", "221", "11"}, teal: paint{"#56b6c2", "73", "14"}, coral: paint{"#f0715c", "203", "9"},
		green: paint{"#8cc265", "113", "10"}, violet: paint{"#b79af5", "141", "13"}, slate: paint{"#8fa3bf", "109", "12"},
		selected: paint{"#2a303a", "236", ""}, onColour: paint{"#14171c", "233", "0"},
		heat: [3]paint{{"#24362a", "22", ""}, {"#335a38", "28", ""}, {"#47804a", "34", ""}},
	}
	light = palette{
		muted: paint{"#5d6673", "241", "8"}, faint: paint{"#9aa2ad", "247", "8"}, border: paint{"#b6bcc6", "250", "7"},
		gold: paint{"#946200", "94", "3"}, teal: paint{"#0d7380", "30", "6"}, coral: paint{"#c2371f", "160", "1"},
		green: paint{"#3f7d20", "64", "2"}, violet: paint{"#6b3fc4", "91", "5"}, slate: paint{"#5c7397", "60", "4"},
		selected: paint{"#e4e9f1", "254", ""}, onColour: paint{"#ffffff", "231", "15"},
		heat: [3]paint{{"#e3f0da", "194", ""}, {"#c9e2b8", "193", ""}, {"#a9cf90", "150", ""}},
	}
)

type look struct {
	fg, bg               paint
	bold, faint, reverse bool
	tint                 bool // if bg has no colour on the terminal, the style is not reversed
}

func (p palette) looks() [styles]look {
	return [styles]look{
		Strong:    {bold: true},
		Muted:     {fg: p.muted},
		Faint:     {fg: p.faint},
		Border:    {fg: p.border},
		Focus:     {fg: p.muted},
		Heading:   {fg: p.teal, bold: true},
		Lead:      {fg: p.gold, bold: true},
		Gold:      {fg: p.gold},
		Watch:     {fg: p.teal},
		Trouble:   {fg: p.coral},
		Alarm:     {fg: p.coral, bold: true},
		Good:      {fg: p.green},
		You:       {fg: p.violet},
		Past:      {fg: p.slate},
		OnFaint:   {fg: p.onColour, bg: p.faint},
		Badge:     {fg: p.onColour, bg: p.gold, bold: true},
		BadgeHeld: {fg: p.onColour, bg: p.violet, bold: true},
		Key:       {bold: true},
		Hot:       {fg: p.onColour, bg: p.coral, bold: true},
		Warm:      {fg: p.onColour, bg: p.slate},
		Heat1:     {bg: p.heat[0], tint: true},
		Heat2:     {bg: p.heat[1], tint: true},
		Heat3:     {bg: p.heat[2], tint: true},
	}
}

var monoLooks = [styles]look{
	Strong:    {bold: true},
	Faint:     {faint: true},
	Border:    {faint: true},
	Heading:   {bold: true},
	Lead:      {bold: true},
	Alarm:     {bold: true},
	OnFaint:   {reverse: true, faint: true},
	Badge:     {reverse: true, bold: true},
	BadgeHeld: {reverse: true, bold: true},
	Key:       {bold: true},
	Hot:       {reverse: true, bold: true},
	Warm:      {reverse: true, faint: true},
}

// NewTheme returns the theme for r's terminal. A terminal without colours gets attributes.
func NewTheme(name string, r *lipgloss.Renderer) *Theme {
	looks, selected := monoLooks, paint{}
	switch name {
	case Dark:
		looks, selected = dark.looks(), dark.selected
	case Light:
		looks, selected = light.looks(), light.selected
	}
	t := &Theme{Name: name, reset: "\x1b[0m", Glyph: signs}
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
		fg, plain := colour(l.fg, false), colour(l.bg, true)
		on := cmp.Or(plain, colour(selected, true))
		t.shows[st], t.shows[Style(st)|Selected] = l.bg != (paint{}) || l.reverse, true
		t.codes[st] = sequence(l, fg, plain, l.reverse || l.bg != (paint{}) && plain == "" && !l.tint)
		t.codes[Style(st)|Selected] = sequence(l, fg, on, on == "") // the selected row must be visible without colours, too
	}
	return t
}

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

// Fade returns the style of a cell in an outdated picture. Alarms and borders keep their colour.
func Fade(st Style) Style {
	switch st &^ Selected {
	case Alarm, Border, Focus:
		return st
	}
	return Dim(st) | st&Selected
}

// Dim returns the style of a cell behind an overlay.
func Dim(st Style) Style {
	switch st &^ Selected {
	case Border, Focus:
		return Border
	case Hot, Warm:
		return OnFaint
	}
	return Faint
}
