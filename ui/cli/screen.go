package cli

import (
	"context"
	"fmt"

	"github.com/charmbracelet/lipgloss"

	"electop/ui"
	"electop/ui/cli/dashboard"
	"electop/ui/cli/process"
)

// onScreen opens the terminal for a dashboard, and closes it when show, which gets the
// dashboard's options with the terminal in them, has returned.
func (o *options) onScreen(ctx context.Context, std IO, with ui.Options, show func(ui.Options) error) error {
	out, ok := process.Terminal(std.Out)
	if !ok { // needTerminal has said so
		return show(with)
	}
	s, err := process.OpenScreen(ctx, std.In, out)
	if err != nil {
		return fmt.Errorf("open the terminal for the dashboard's keys: %w", err)
	}
	defer s.Close()
	with.Theme, with.Input, with.Output = o.screen.Theme, s.Input(), s.Output()
	with.Width, with.Height = s.Size()
	with.Clipboard, with.Mouse = s.Copy, !o.screen.NoMouse
	with.Renderer = lipgloss.NewRenderer(out)
	return show(with)
}

// runOnScreen is the dashboard of cfg on the terminal.
func (o *options) runOnScreen(ctx context.Context, std IO, cfg dashboard.Config) error {
	return o.onScreen(ctx, std, cfg.Screen, func(screen ui.Options) error {
		cfg.Screen = screen
		return dashboard.Run(ctx, cfg)
	})
}
