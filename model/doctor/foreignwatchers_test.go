package doctor_test

import (
	"slices"
	"strings"
	"testing"

	"electop/model"
	"electop/model/session"
)

// Many sessions that are no candidates watch the leader's znode: one answer of the servers
// shows it. Where the leader's znode has no queue, those who wait watch it.
func TestForeignWatchers(t *testing.T) {
	crowd := func(path string, n uint64) func(*session.Table) {
		return func(x *session.Table) {
			w := session.Watch{Path: path}
			for i := range n {
				w.Sessions = append(w.Sessions, 100+i)
			}
			x.Servers[0].Watched = append(x.Servers[0].Watched, w)
			x.Servers[0].Clients = append(x.Servers[0].Clients, session.Client{Session: 100, Addr: "10.0.0.7:4000"})
		}
	}
	c, names := three(t, model.Config{}, "n_")
	c.answer(crowd("/e/"+names[1], 61)) // the next one's
	c.has()
	c.answer(crowd("/e/"+names[0], 61))
	c.has("foreign-watchers warning")
	f := c.J.State().Findings[0]
	if !strings.HasPrefix(f.Title, "61 sessions without") || !slices.Contains(f.Evidence, "session 0x64 from 10.0.0.7:4000") ||
		!slices.Contains(f.Evidence, "and 46 more") {
		t.Errorf("%+v", f)
	}
	c.told(crowd("/e/"+names[0], 61), "foreign-watchers warning") // and not once more as information
	c.told(crowd("/e/"+names[0], 5), "dropped-candidate info")
}
