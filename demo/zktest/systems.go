package zktest

import (
	_ "embed"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/go-zookeeper/zk"
)

// System describes the znodes of a third-party system, healthy or after a failure.
type System struct {
	Name string
	// Each line of Layout is a znode: MODE PATH or MODE PATH = DATA. In DATA, \xNN is a byte.
	// MODE is p for persistent, ps for persistent sequential, eN for ephemeral, or esN for ephemeral
	// sequential. The owner of eN and esN is sessions[N] of [System.Build].
	Layout string
}

//go:embed systems.txt
var systems string

// Systems returns the systems of systems.txt. One server can have the znodes of all.
func Systems() (out []System) {
	for _, part := range strings.Split("\n"+systems, "\n# ")[1:] {
		name, layout, _ := strings.Cut(part, "\n")
		out = append(out, System{name, strings.TrimSpace(layout)})
	}
	return out
}

// SystemSessions is the number of sessions that [System.Build] needs.
const SystemSessions = 4

// Build creates the znodes of s. sessions[0] creates parents and persistent znodes.
func (s System) Build(t testing.TB, sessions []*zk.Conn) {
	t.Helper()
	everybody := zk.WorldACL(zk.PermAll)
	for line := range strings.Lines(s.Layout) {
		mode, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		path, data, _ := strings.Cut(rest, " = ")
		if strings.Contains(data, `\x`) {
			var err error
			if data, err = strconv.Unquote(`"` + strings.ReplaceAll(data, `"`, `\"`) + `"`); err != nil {
				t.Fatalf("%s: %s: %v", s.Name, path, err)
			}
		}
		owner, flags := sessions[0], int32(0)
		if kind := strings.TrimRight(mode, "0123456789"); kind != mode {
			n, err := strconv.Atoi(mode[len(kind):])
			if err != nil {
				t.Fatal(err)
			}
			owner, mode = sessions[n], kind
		}
		if strings.HasPrefix(mode, "e") {
			flags |= zk.FlagEphemeral
		}
		if strings.HasSuffix(mode, "s") {
			flags |= zk.FlagSequence
		}
		for i := 1; i < len(path); i++ {
			if path[i] != '/' {
				continue
			}
			if _, err := sessions[0].Create(path[:i], nil, 0, everybody); err != nil && !errors.Is(err, zk.ErrNodeExists) {
				t.Fatalf("%s: %s: %v", s.Name, path[:i], err)
			}
		}
		if _, err := owner.Create(path, []byte(data), flags, everybody); err != nil {
			t.Fatalf("%s: %s: %v", s.Name, path, err)
		}
	}
}
