package ui

import (
	"bytes"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
	"github.com/muesli/termenv"
	"pgregory.net/rapid"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/znode"
)

func TestCanvasKeepsItsSize(t *testing.T) {
	th := newTheme(ThemeDark, profileRenderer(termenv.TrueColor))
	rapid.Check(t, func(t *rapid.T) {
		var c canvas
		c.resize(rapid.IntRange(1, 20).Draw(t, "w"), rapid.IntRange(1, 4).Draw(t, "h"))
		texts := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"家", "a家b族c", "é", "e\u0301", "\x1b[2J", "👨‍👩‍👧", "ab", "　"}))
		for range rapid.IntRange(1, 12).Draw(t, "puts") {
			x, y := rapid.IntRange(-2, 22).Draw(t, "x"), rapid.IntRange(-2, 5).Draw(t, "y")
			c.put(x, y, rapid.IntRange(-2, 30).Draw(t, "end"), style(rapid.IntRange(0, int(styles)-1).Draw(t, "style")), texts.Draw(t, "text"))
		}
		lines := strings.Split(c.render(th), "\n")
		if len(lines) != c.h {
			t.Fatalf("%d lines of %d", len(lines), c.h)
		}
		for _, line := range lines {
			if n := ansi.StringWidth(line); n > c.w {
				t.Fatalf("%d cells of %d: %q", n, c.w, line)
			}
			if hasControl(ansi.Strip(line)) {
				t.Fatalf("a control character in %q", line)
			}
		}
	})
}

func TestCanvasWide(t *testing.T) {
	th := newTheme(ThemeMono, plainRenderer())
	for _, c := range []struct {
		name string
		draw func(c *canvas)
		want string
	}{
		{"whole", func(c *canvas) { c.put(0, 0, 6, 0, "a家b") }, "a家b"},
		{"no half", func(c *canvas) { c.put(0, 0, 2, 0, "a家b") }, "a"},
		{"left half replaced", func(c *canvas) { c.put(0, 0, 6, 0, "家族"); c.put(0, 0, 6, 0, "x") }, "x 族"},
		{"right half replaced", func(c *canvas) { c.put(0, 0, 6, 0, "家族"); c.put(1, 0, 6, 0, "x") }, " x族"},
		{"wide on wide", func(c *canvas) { c.put(0, 0, 6, 0, "家族"); c.put(1, 0, 6, 0, "人") }, " 人"},
		{"controls", func(c *canvas) { c.put(0, 0, 6, 0, "a\x1b\x07\u009bb") }, "ab"},
	} {
		var cv canvas
		cv.resize(6, 1)
		c.draw(&cv)
		if got := cv.render(th); strings.TrimRight(got, " ") != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// Every colour is made in the theme.
func TestColoursAreTheThemes(t *testing.T) {
	made := regexp.MustCompile(`lipgloss\.(Color|NewStyle|Style|AdaptiveColor|CompleteColor)|"#[0-9a-fA-F]{3,6}"|\\x1b|\\033|\\u001b|termenv\.`)
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		found := made.Find(src)
		if f == "theme.go" {
			if found == nil {
				t.Error("the theme makes no colours: the pattern is out of date")
			}
		} else if found != nil && !strings.HasSuffix(f, "_test.go") {
			t.Errorf("%s makes a colour: %s", f, found)
		}
	}
}

// The dashboard knows the model, and nothing of where the election comes from.
func TestImports(t *testing.T) {
	allowed := regexp.MustCompile(`^([a-z/0-9]+|electop/model(/units)?|electop/ui/background|github\.com/charmbracelet/(bubbletea|lipgloss|bubbles/(key|textinput|viewport)|x/ansi))$`)
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range f.Imports {
			if path, _ := strconv.Unquote(i.Path.Value); !allowed.MatchString(path) || strings.HasPrefix(path, "electop/zk") || path == "electop/demo" || path == "net" {
				t.Errorf("%s imports %s", name, path)
			}
		}
	}
}

func TestResolveTheme(t *testing.T) {
	for _, c := range []struct{ name, noColor, fgbg, want string }{
		{"", "", "", ThemeDark},
		{ThemeAuto, "1", "0;15", ThemeMono},
		{ThemeAuto, "", "0;15", ThemeLight},
		{ThemeAuto, "", "0;default;7", ThemeLight},
		{ThemeAuto, "", "15;0", ThemeDark},
		{ThemeAuto, "", "15;8", ThemeDark},
		{ThemeAuto, "", "nonsense", ThemeDark},
		{ThemeLight, "1", "15;0", ThemeLight},
		{"typo", "", "", ThemeDark},
	} {
		env := func(k string) string { return map[string]string{"NO_COLOR": c.noColor, "COLORFGBG": c.fgbg}[k] }
		if got := resolveTheme(c.name, env); got != c.want {
			t.Errorf("%q with NO_COLOR=%q COLORFGBG=%q: %s, want %s", c.name, c.noColor, c.fgbg, got, c.want)
		}
	}
}

// In each theme, on each terminal: the selected row and the badge show, and
// trouble does not look like text.
func TestThemesShow(t *testing.T) {
	for _, name := range []string{ThemeDark, ThemeLight, ThemeMono} {
		for _, p := range []termenv.Profile{termenv.TrueColor, termenv.ANSI256, termenv.ANSI, termenv.Ascii} {
			th := newTheme(name, profileRenderer(p))
			for _, pair := range [][2]style{{styleText, styleText | styleSelected}, {styleText, styleBadge}, {styleText, styleAlarm}, {styleText, styleLead}, {styleMuted, styleKey}, {styleText, styleOnPast}} {
				if th.sgr[pair[0]] == th.sgr[pair[1]] {
					t.Errorf("%s on %s: styles %d and %d are both %q", name, p.Name(), pair[0], pair[1], th.sgr[pair[0]])
				}
			}
			if name == ThemeMono {
				for st, seq := range th.sgr {
					if regexp.MustCompile(`[34][0-9]`).MatchString(seq) {
						t.Errorf("mono has a colour: style %d is %q", st, seq)
					}
				}
			}
		}
	}
}

// drawStrip is a strip as text: digits are reigns.
func drawStrip(s strip) string {
	var b bytes.Buffer
	for _, c := range s.cells {
		switch c.kind {
		case stripPast, stripNow:
			b.WriteByte(byte('0' + c.reign%10))
		case stripDanger:
			b.WriteByte('!')
		case stripVacant:
			b.WriteByte('-')
		case stripEnded:
			b.WriteByte('|')
		case stripExpired:
			b.WriteByte('X')
		default:
			b.WriteByte(' ')
		}
	}
	return strings.TrimRight(b.String(), " ")
}

func TestStrip(t *testing.T) {
	at := func(s float64) time.Time {
		return noon.Truncate(time.Hour).Add(time.Duration(s * float64(time.Second)))
	}
	who := &dialect.Candidate{}
	reign := func(from, to float64, cause model.Cause) model.Reign {
		r := model.Reign{Leader: who, From: at(from), FromKnown: true, Cause: cause}
		if to > 0 {
			r.To = at(to)
		}
		return r
	}
	for _, c := range []struct {
		name   string
		reigns []model.Reign
		danger time.Time
		now    float64
		w      int
		want   string
	}{
		{"nothing", nil, time.Time{}, 10, 20, ""},
		{"one", []model.Reign{reign(0, 0, "")}, time.Time{}, 10, 30, strings.Repeat("0", 21)},
		{"in danger", []model.Reign{reign(0, 0, "")}, at(8), 10, 30, "0000000000000000!!!!!"},
		{"a handoff", []model.Reign{reign(0, 5, model.CauseExpired), reign(5, 0, "")}, time.Time{}, 9, 12, "00000X1111"},
		{"vacant", []model.Reign{reign(0, 4, model.CauseResigned), reign(6, 0, "")}, time.Time{}, 9, 12, "0000--1111"},
		{"still vacant", []model.Reign{reign(0, 4, model.CauseUnknown)}, time.Time{}, 9, 12, "0000------"},
		{"too short to see", []model.Reign{reign(0, 5.2, model.CauseExpired), reign(5.2, 5.3, model.CauseResigned), reign(5.3, 0, "")}, time.Time{}, 9, 12, "0X22222222"},
	} {
		s := newStrip(c.reigns, func(r model.Reign) time.Time {
			if r.To.IsZero() {
				return c.danger
			}
			return time.Time{}
		}, at(c.now), c.w)
		if diff := cmp.Diff(c.want, drawStrip(s)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// However long and many the reigns: the last one is there, the axis moves by
// whole cells, and its labels do not run into each other.
func TestStripAlways(t *testing.T) {
	never := func(model.Reign) time.Time { return time.Time{} }
	rapid.Check(t, func(t *rapid.T) {
		at := noon
		var reigns []model.Reign
		for range rapid.IntRange(1, 60).Draw(t, "reigns") {
			r := model.Reign{Leader: &dialect.Candidate{}, From: at}
			at = at.Add(time.Duration(rapid.Int64Range(0, 1<<uint(rapid.IntRange(1, 55).Draw(t, "size"))).Draw(t, "lasts")))
			r.To = at
			reigns = append(reigns, r)
		}
		reigns[len(reigns)-1].To = time.Time{}
		w := rapid.IntRange(1, 200).Draw(t, "w")
		now := at.Add(time.Duration(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "more")))
		s := newStrip(reigns, never, now, w)
		i := s.cell(now)
		if i < 0 || i >= w || s.cells[i].kind == stripNothing {
			t.Fatalf("now is in cell %d of %d, which is %+v", i, w, s.cells)
		}
		next := newStrip(reigns, never, now.Add(time.Second), w)
		if next.step == s.step && next.start.Sub(s.start)%s.step != 0 {
			t.Fatalf("the axis crawled by %v with cells of %v", next.start.Sub(s.start), s.step)
		}
		at0, text := s.labels(time.FixedZone("", 19800))
		for i := range at0 {
			if at0[i] < 0 || at0[i]+len(text[i]) > w || i > 0 && at0[i] < at0[i-1]+len(text[i-1])+1 {
				t.Fatalf("labels at %v: %q on %d cells", at0, text, w)
			}
		}
	})
}

func TestTroubleIsBounds(t *testing.T) {
	c := &dialect.Candidate{Znode: znode.Znode{Name: "n_1", Session: 1}}
	m := &model.Member{Fault: model.Killed, FaultAt: noon, Timeout: 4 * time.Second, ExpiresFrom: noon.Add(3600 * time.Millisecond)}
	tr, ok := troubleOf(unknown(), row{c, m, 0})
	if !ok || !tr.sure.Equal(m.ExpiresFrom) || !tr.latest.Equal(noon.Add(8*time.Second)) {
		t.Fatalf("bounds: %+v, %v", tr, ok)
	}
	for _, x := range []struct {
		at    time.Duration
		short bool
		want  string
	}{{0, false, "expires in at most 8 s"}, {100 * time.Millisecond, true, "expires ≤ 8 s"}, {7500 * time.Millisecond, false, "expires in at most 1 s"}, {8 * time.Second, false, "overdue"}} {
		if got := tr.expires(noon.Add(x.at), x.short); got != x.want {
			t.Errorf("after %v: %q, want %q", x.at, got, x.want)
		}
	}
	if _, ok := troubleOf(unknown(), row{c, &model.Member{}, 0}); ok {
		t.Error("a member without a fault is in trouble")
	}
	if _, ok := troubleOf(unknown(), row{nil, m, -1}); ok {
		t.Error("a member without a znode has one that expires")
	}
	if tr, ok := troubleOf(unknown(), row{c, &model.Member{Fault: model.Frozen}, 0}); !ok || tr.expires(noon, false) != "expires with its session" {
		t.Error("nothing is known of the session, yet something is said")
	}
	// While the server holds something back for it, its deadline stands off.
	j := doctor.NewJournal(model.Config{})
	held := func(session uint64) trouble {
		j.Apply(&model.Pace{At: noon, Steps: true, Waiting: 1, Held: []model.Message{{Session: session, Op: "getChildren", Since: noon}}})
		frozen := *m
		frozen.Session, frozen.Fault = 1, model.Frozen
		tr, _ := troubleOf(j.State(), row{c, &frozen, 0})
		return tr
	}
	if tr := held(1); tr.known() {
		t.Errorf("its message is held, and its time runs: %+v", tr)
	}
	if tr := held(2); !tr.known() {
		t.Errorf("another's message is held, and its time does not run: %+v", tr)
	}
}

func TestFormats(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{share(0, 0), ""}, {share(9999999, 10000000), "99.9 %"}, {share(1, 1), "100 %"},
		{shortSession(0xa1), "0xa1"}, {shortSession(0x10000a1b2c300a1), "1…00a1"}, {shortSession(0), "-"},
		{tailOf("/a/long/path", 6), "…/path"}, {tailOf("/a", 6), "/a"},
		{fitNames([]string{"a", "b", "c", "d"}, 20), "a, b, c +1"}, {fitNames([]string{"amber", "birch"}, 9), "amber +1"}, {fitNames([]string{"amber"}, 3), "am…"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

func TestDataText(t *testing.T) {
	for _, c := range []struct{ data, want string }{
		{"", ""}, {"amber\n", "amber"}, {"a\tb", `a\tb`}, {"{\"a\":1}\n{}", `{"a":1}\n{}`},
		{"\x00\x01", "00000000  00 01                                             |..|"},
	} {
		if got := dataText(znode.NewData([]byte(c.data))); got != c.want {
			t.Errorf("%q is shown as %q, want %q", c.data, got, c.want)
		}
	}
	if got := dataText(znode.NewData(bytes.Repeat([]byte{0x1b}, 10000))); strings.Count(got, "\n") != 8 || hasControl(strings.ReplaceAll(got, "\n", "")) {
		t.Errorf("much binary data: %q", got)
	}
}

// The shortcuts for plain letters, lines and blocks give the cells that the
// rules for all of Unicode give.
func TestShortcutsAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "~", " ", "│", "─", "█", "░", "▶", "◂", "\u0301", "\ufe0f", "\u200d", "家", "é", "\xe2\x96", "\xe2", "☺"}), 0, 8).Draw(t, "parts"), "")
		if got, want := width(s), ansi.StringWidth(s); got != want {
			t.Fatalf("%q is %d cells wide, want %d", s, got, want)
		}
		var c canvas
		c.resize(40, 1)
		x := c.put(0, 0, 40, styleText, s)
		var want []string
		for rest := s; rest != ""; {
			g, w := ansi.FirstGraphemeCluster(rest, ansi.GraphemeWidth)
			rest = rest[len(g):]
			if w > 0 && !hasControl(g) {
				want = append(want, g)
				for range w - 1 {
					want = append(want, covered)
				}
			}
		}
		var got []string
		for i := range x {
			got = append(got, c.cells[i].text)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%q: cells %q, want %q", s, got, want)
		}
	})
}

// What is left of a panel's tail ends where its words end.
func TestBoxTail(t *testing.T) {
	d := stage(scenes()["main"](), 120, 36, ThemeMono)
	f := &frame{canvas: &canvas{}, th: d.theme}
	f.resize(42, 3)
	f.box(rect{0, 0, 42, 3}, "Recipe", false, span{styleYou, "step by step", 9}, span{styleYou, ", 200 held   ", 8}, span{styleTrouble, "herds", 0})
	if got := strings.SplitN(f.render(d.theme), "\n", 2)[0]; !strings.Contains(ansi.Strip(got), "step by step, 200 held ──╮") {
		t.Errorf("the title is %q", ansi.Strip(got))
	}
}
