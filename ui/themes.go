package ui

import (
	"io"
	"os"

	"github.com/charmbracelet/lipgloss"

	"electop/ui/term"
)

// themes is the theme on the screen, as the user or the terminal's background wants it.
type themes struct {
	theme    *term.Theme
	wanted   string // the theme of the options
	renderer *lipgloss.Renderer
	chosen   bool // by the user
}

func newThemes(o Options) themes {
	r := renderer(o)
	return themes{wanted: o.Theme, renderer: r, theme: term.NewTheme(term.ResolveTheme(o.Theme, os.Getenv), r)}
}

// nextTheme takes the next theme.
func (l *themes) nextTheme() {
	l.theme, l.chosen = term.NewTheme(term.NextTheme(l.theme.Name), l.renderer), true
}

// suit takes the theme for the terminal's background, if it is to be chosen by that, and
// reports whether it is another one.
func (l *themes) suit(light bool) bool {
	name := term.ResolveTheme(l.wanted, os.Getenv)
	if l.chosen || l.wanted == name || name == term.Mono {
		return false
	}
	if name = term.Dark; light {
		name = term.Light
	}
	if name == l.theme.Name {
		return false
	}
	l.theme = term.NewTheme(name, l.renderer)
	return true
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
