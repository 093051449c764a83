package ui

import (
	"io"
	"os"

	"github.com/charmbracelet/lipgloss"

	"electop/ui/term"
)

// themes is the theme on the screen.
type themes struct {
	theme    *term.Theme
	renderer *lipgloss.Renderer
}

func newThemes(o Options) themes {
	r := renderer(o)
	return themes{renderer: r, theme: term.NewTheme(term.ResolveTheme(o.Theme, os.Getenv), r)}
}

// nextTheme takes the next theme.
func (l *themes) nextTheme() {
	l.theme = term.NewTheme(term.NextTheme(l.theme.Name), l.renderer)
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
