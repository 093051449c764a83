package cli_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"electop/demo/zktest"
)

// TestSeveralElectionsInOneCommand: each has a heading or a line of JSON, and the exit code
// is the worst.
func TestSeveralElectionsInOneCommand(t *testing.T) {
	t.Parallel()
	zktest.Each(t, func(t *testing.T, addr string) {
		c := session(t, addr)
		root := unique("several")
		led, empty := root+"/led", root+"/empty"
		for _, path := range []string{root, led, empty} {
			create(t, c, path, "", 0)
		}
		create(t, c, led+"/n_", "amber", contender)
		out, errs := once(t, 4, "status", led, empty, "-s", addr, "--admin", "off")
		if !strings.HasPrefix(out, "== "+led+"\n"+led+": amber") || !strings.Contains(out, "\n\n== "+empty+"\n"+empty+": nobody leads") || errs != "" {
			t.Errorf("%s%s", out, errs)
		}
		out, errs = once(t, 1, "status", empty, root+"/nowhere", led, "-s", addr, "--admin", "off", "--json")
		if lines := strings.Split(out, "\n"); len(lines) != 3 || !strings.Contains(lines[0], `"path":"`+empty) || !strings.Contains(lines[1], `"path":"`+led) ||
			!strings.HasPrefix(errs, "electop: "+root+"/nowhere does not exist on ") || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s%s", out, errs)
		}
		log := t.TempDir() + "/log"
		once(t, 4, "status", led, empty, "-s", addr, "--admin", "off", "--log-file", log)
		if b, err := os.ReadFile(log); err != nil || strings.Count(string(b), ", timeout=10000") != 1 {
			t.Errorf("%v: more than one session:\n%s", err, b)
		}
		out, _ = once(t, 0, "doctor", led, empty, "-s", addr, "--admin", "off", "--for", "10ms")
		if !strings.HasPrefix(out, "== "+led+"\n"+led+": amber") || !strings.Contains(out, "\n== "+empty+"\n"+empty+": nobody leads") {
			t.Error(out)
		}
		env := configured(t, fmt.Sprintf("[clusters.prod]\nservers = %q\n[clusters.named]\nservers = %[1]q\npaths = [\"/empty\", \"/led\"]\n", addr+root))
		for args, want := range map[string]string{
			"status --cluster prod --json":             "/led",
			"status --cluster named --json":            "/empty /led",
			"doctor --cluster named --json --for 10ms": "/empty /led",
		} {
			cmd := exec.Command("electop", strings.Fields(args)...)
			cmd.Env = append(cmd.Environ(), env...)
			out, err := cmd.Output()
			var got []string
			for line := range strings.Lines(string(out)) {
				got = append(got, decode[struct{ Path string }](t, line).Path)
			}
			if strings.Join(got, " ") != want {
				t.Errorf("%s: %q, %v, want %s", args, got, err, want)
			}
		}
	})
}
