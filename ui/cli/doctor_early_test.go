package cli_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zkserver"
)

// TestDoctorSaysWhatItHadNoTimeFor: a look that is too short to find a missing
// watch, or what has to last, does not pass for one that found nothing.
func TestDoctorSaysWhatItHadNoTimeFor(t *testing.T) {
	t.Parallel()
	_, addr := zkserver.Start(t, zkserver.Options{})
	c, _, err := zk.Connect([]string{addr}, 30*time.Second, zk.WithLogInfo(false))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	other, _, err := zk.Connect([]string{addr}, 30*time.Second, zk.WithLogInfo(false))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if _, err := c.Create("/e", nil, 0, zk.WorldACL(zk.PermAll)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []*zk.Conn{c, other} { // neither watches
		if _, err := c.Create("/e/n_", nil, zk.FlagEphemeral|zk.FlagSequence, zk.WorldACL(zk.PermAll)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Create("/e/config", nil, 0, zk.WorldACL(zk.PermAll)); err != nil {
		t.Fatal(err)
	}
	out, _ := once(t, 0, "doctor", "/e", "-s", addr, "--admin", "4lw", "--for", "1s", "--json")
	var d struct {
		Findings  []noticed
		Unchecked []struct{ What, Why, Setting string }
	}
	if err := json.Unmarshal([]byte(out), &d); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"whether 1 candidate watches the predecessor", "foreign-child: "} {
		found := false
		for _, u := range d.Unchecked {
			found = found || strings.HasPrefix(u.What, want) && strings.HasPrefix(u.Why, "observed for only 1s") && u.Setting == "--for 6s"
		}
		if !found {
			t.Errorf("%q is not among what was not checked: %s", want, out)
		}
	}
	out, _ = once(t, 0, "doctor", "/e", "-s", addr, "--admin", "4lw", "--for", "1s")
	if !strings.Contains(out, "(--for 6s would allow it)") {
		t.Errorf("%s", out)
	}
}
