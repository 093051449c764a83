// Package terminal is the user's terminal. Questions to the user are asked on it
// ([ReadLine]), and a dashboard is shown on it ([Screen]).
//
// A dashboard's terminal is not asked for anything, because an answer would come among the
// keys, perhaps late and in pieces. A key that comes in pieces is put together.
package terminal

import (
	"bufio"
	"context"
	"io"
	"os"

	"github.com/charmbracelet/x/term"

	"electop/ui/cli/task"
)

// Of returns stream as a terminal, false if it is not one.
func Of(stream any) (*os.File, bool) {
	f, ok := stream.(*os.File)
	return f, ok && term.IsTerminal(f.Fd())
}

// ReadLine reads one line, or returns when ctx ends.
func ReadLine(ctx context.Context, in io.Reader) (string, error) {
	return task.Await(ctx, func() (string, error) {
		line, err := bufio.NewReader(in).ReadString('\n')
		if err == io.EOF {
			err = nil
		}
		return line, err
	})
}
