package process_test

import (
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"electop/ui/cli/process"
)

func TestOf(t *testing.T) {
	const commit = "142675f89c395d33e63897d1f25c454fa91f9054"
	vcs := func(modified string) []debug.BuildSetting {
		return []debug.BuildSetting{
			{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: commit}, {Key: "vcs.time", Value: "2026-11-22T23:01:16Z"}, {Key: "vcs.modified", Value: modified},
		}
	}
	const of = "commit 142675f89c39 of 2026-11-22 23:01:16 UTC"
	for _, c := range []struct {
		name, version string
		settings      []debug.BuildSetting
		want          string
	}{
		{"a release", "v1.2.0", vcs("false"), "v1.2.0 (" + of + ")"},
		{"a release candidate", "v1.2.0-rc.1", vcs("false"), "v1.2.0-rc.1 (" + of + ")"},
		{"a release with changes", "v1.2.0+dirty", vcs("true"), "v1.2.0 (" + of + ", with uncommitted changes)"},
		{"a commit without a tag", "v0.0.0-20261122230116-142675f89c39", vcs("false"), "devel (" + of + ")"},
		{"a commit after a release", "v1.2.1-0.20261122230116-142675f89c39", vcs("false"), "devel (" + of + ")"},
		{"the same with changes", "v0.0.0-20261122230116-142675f89c39+dirty", vcs("true"), "devel (" + of + ", with uncommitted changes)"},
		{"changes, by an older Go", "(devel)", vcs("true"), "devel (" + of + ", with uncommitted changes)"},
		{"a downloaded release", "v1.2.0", nil, "v1.2.0 (commit not recorded)"},
		{"go run, or no version control", "(devel)", nil, "devel (commit not recorded)"},
		{"an odd time", "(devel)", []debug.BuildSetting{{Key: "vcs.revision", Value: "7"}, {Key: "vcs.time", Value: "yesterday"}}, "devel (commit 7)"},
	} {
		info := &debug.BuildInfo{GoVersion: "go1.99", Main: debug.Module{Version: c.version}, Settings: append(c.settings, debug.BuildSetting{Key: "GOOS", Value: "plan9"}, debug.BuildSetting{Key: "GOARCH", Value: "mips"})}
		if got, want := process.BuildOf(info).String(), c.want+" go1.99 plan9/mips"; got != want {
			t.Errorf("%s: %q, want %q", c.name, got, want)
		}
	}
	want := "devel (commit not recorded) " + runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH
	if got := process.BuildOf(nil).String(); got != want {
		t.Errorf("no build information: %q, want %q", got, want)
	}
	if got := process.ThisBuild().String(); !strings.Contains(got, " "+runtime.Version()) {
		t.Errorf("this program: %q", got)
	}
}
