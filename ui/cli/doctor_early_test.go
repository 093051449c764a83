package cli_test

import (
	"strings"
	"testing"

	"github.com/go-zookeeper/zk"

	"electop/demo/zkserver"
	"electop/demo/zktest"
)

// TestDoctorSaysWhatItHadNoTimeFor: a look that is too short to find a missing
// watch, or what has to last, does not pass for one that found nothing.
func TestDoctorSaysWhatItHadNoTimeFor(t *testing.T) {
	t.Parallel()
	_, addr := zkserver.Start(t, zkserver.Options{})
	c, other := zktest.Client(t, addr), zktest.Client(t, addr)
	create(t, c, "/e", "", 0)
	for _, c := range []*zk.Conn{c, other} { // neither watches
		create(t, c, "/e/n_", "", contender)
	}
	create(t, c, "/e/config", "", 0)
	out, _ := once(t, 0, "doctor", "/e", "-s", addr, "--admin", "4lw", "--for", "1s", "--json")
	d := decode[doctorJSON](t, out)
	for _, want := range []string{"whether 1 candidate watches the predecessor", "foreign-child: "} {
		found := false
		for _, u := range d.Unchecked {
			found = found || strings.HasPrefix(u.What, want) && strings.HasPrefix(u.Why, "observed for only 1s") && text(u.Setting) == "--for 6s"
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
