// Package clip is what can be copied of what is selected: its path, and what is known of
// it as JSON.
package clip

import (
	"errors"
	"fmt"
	"strings"

	"electop/model/doctor"
	"electop/model/znode"
	"electop/ui/elections"
	"electop/ui/plain"
	"electop/ui/rows"
	"electop/ui/wording"
)

// Max bounds what is sent to a clipboard: terminals take about 75,000 bytes of
// base64.
const Max = 56_000

// Selection is what is selected.
type Selection struct {
	State *doctor.State
	Row   rows.Row // of the candidates
	// Listed says that the list of elections is in front: Election is the one selected
	// there, nil for none.
	Listed   bool
	Election *elections.Row
}

// Fits reports why the text is not sent, nil if it is.
func Fits(text string) error {
	if len(text) <= Max {
		return nil
	}
	return fmt.Errorf("%d bytes are too long for a terminal's clipboard, which takes %d; electop status PATH --json prints it", len(text), Max)
}

// Path is the path of the selected znode, or of the selected election. What a
// terminal or a shell could take for more than text is written out.
func (s Selection) Path() (string, error) {
	path := ""
	if s.Listed {
		if s.Election == nil {
			return "", errors.New("no election is selected")
		}
		path = s.Election.Path
	} else {
		switch r := s.Row; {
		case r.Candidate != nil:
			path = wording.ZnodePath(s.State, r.Candidate)
		case r.Member != nil:
			return "", errors.New(r.Name() + " has no znode")
		default:
			return "", errors.New("no candidate is selected")
		}
	}
	return znode.Safe(path, Max), nil
}

// JSON is the selected candidate as electop status --json has it, or all of
// that object for the selected election.
func (s Selection) JSON() (string, error) {
	if _, err := s.Path(); err != nil {
		return "", err
	}
	var object any
	switch r := s.Election; {
	case !s.Listed && wording.Registry(s.State):
		return "", errors.New("members of a group have a path only: y copies it")
	case !s.Listed:
		object = plain.Candidate(s.State, s.Row.Position)
	case r.Watched == nil:
		return "", errors.New("only elections that are watched have one: enter watches this one")
	default:
		object = plain.Status(r.Watched.State)
	}
	b, err := znode.SafeJSON(object)
	return strings.TrimSpace(string(b)), err
}
