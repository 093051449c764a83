// Package terminal is the user's terminal. Questions to the user are asked on it
// ([ReadLine]), and a dashboard is shown on it ([Screen]).
//
// A dashboard's terminal is asked for its background after the first frame. What it
// answers comes among the keys, perhaps late and in pieces. A splitter takes the answers
// out and hands on whole keys, so that no part of an answer is ever taken for a key.
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
