// Package terminal asks questions at a terminal.
package terminal

import (
	"bufio"
	"context"
	"io"
	"os"

	"github.com/charmbracelet/x/term"
)

// Of returns stream as a terminal, false if it is not one.
func Of(stream any) (*os.File, bool) {
	f, ok := stream.(*os.File)
	return f, ok && term.IsTerminal(f.Fd())
}

// ReadLine reads one line, or returns when ctx ends.
func ReadLine(ctx context.Context, in io.Reader) (string, error) {
	type reply struct {
		line string
		err  error
	}
	answers := make(chan reply, 1)
	go func() { // ends with the line, or with the program
		line, err := bufio.NewReader(in).ReadString('\n')
		answers <- reply{line, err}
	}()
	select {
	case a := <-answers:
		if a.err == io.EOF {
			a.err = nil
		}
		return a.line, a.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}
