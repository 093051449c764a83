package command

import (
	"encoding/json"
	"fmt"
	"strings"

	"electop/model/znode"
)

// The answers of an AdminServer, as Apache ZooKeeper 3.5 to 3.9 give them.

// envelope is what every answer has besides its own fields.
type envelope struct {
	Command *string `json:"command"`
	Error   *string `json:"error"`
}

func (e *envelope) head() *envelope { return e }

// unpack parses an answer into v, which embeds an envelope.
func unpack(b []byte, command string, v interface{ head() *envelope }) error {
	if err := json.Unmarshal(b, v); err != nil {
		return malformed("%s: %s", command, znode.Safe(err.Error(), 100))
	}
	e := v.head()
	switch {
	case e.Command == nil:
		return malformed("%s: the answer names no command", command)
	case *e.Command != command:
		return malformed("%s: the answer is to %s", command, shown(*e.Command))
	case e.Error == nil:
		return nil
	case strings.Contains(*e.Error, "not currently serving"):
		return ErrNotServing
	}
	return fmt.Errorf("%s: %w: %s", command, ErrServerSays, znode.Safe(*e.Error, 100))
}

// A jsonSession is a session id as a signed number, or as text.
type jsonSession uint64

func (s *jsonSession) UnmarshalJSON(b []byte) error {
	if b[0] == '"' {
		b = b[1 : len(b)-1] // a number needs no escapes
	}
	id, err := parseSession(string(b))
	*s = jsonSession(id)
	return err
}

func sessions(list []jsonSession) []uint64 {
	ids := make([]uint64, len(list))
	for i, s := range list {
		ids[i] = uint64(s)
	}
	return ids
}
