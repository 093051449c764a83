package ui

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"testing"
	"unicode"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
	"go.uber.org/goleak"

	"electop/ui/term"
)

// -sample NAME shows a sample on this terminal instead of testing:
// go test ./ui -c -o ui.test && ./ui.test -sample killed
var (
	sampleName = flag.String("sample", "", "show this sample of the tests")
	themeName  = flag.String("theme", term.Auto, "theme of the shown sample")
)

func TestMain(m *testing.M) {
	flag.Parse()
	if *sampleName != "" {
		os.Exit(showOnTerminal(*sampleName, *themeName))
	}
	debug.SetGCPercent(400) // frames make much garbage and need little memory
	goleak.VerifyTestMain(m)
}

// showOnTerminal shows a sample with a stopped clock.
func showOnTerminal(name, theme string) int {
	build, ok := samples()[name]
	if !ok {
		fmt.Fprintln(os.Stderr, "no such sample")
		return 2
	}
	sm := build()
	sm.o.Renderer = lipgloss.NewRenderer(os.Stdout)
	m := show(sm, 120, 36, theme)
	m.Update(tea.WindowSizeMsg{})
	if _, err := tea.NewProgram(m, tea.WithAltScreen()).Run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func plainRenderer() *lipgloss.Renderer { return profileRenderer(termenv.Ascii) }

func profileRenderer(p termenv.Profile) *lipgloss.Renderer {
	r := lipgloss.NewRenderer(new(bytes.Buffer))
	r.SetColorProfile(p)
	return r
}

func hasControl(s string) bool { return strings.ContainsFunc(s, unicode.IsControl) }
