package process_test

import (
	"bufio"
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"debug/elf"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"electop/ui/cli/process"
)

func TestBuildOf(t *testing.T) {
	const commit = "142675f89c395d33e63897d1f25c454fa91f9054"
	vcs := func(modified string) []debug.BuildSetting {
		return []debug.BuildSetting{
			{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: commit}, {Key: "vcs.time", Value: "2026-11-22T23:01:16Z"}, {Key: "vcs.modified", Value: modified},
		}
	}
	const fromCommit = "commit 142675f89c39 of 2026-11-22 23:01:16 UTC"
	for _, c := range []struct {
		name, version string
		settings      []debug.BuildSetting
		want          string
	}{
		{"a release", "v1.2.0", vcs("false"), "v1.2.0 (" + fromCommit + ")"},
		{"a release candidate", "v1.2.0-rc.1", vcs("false"), "v1.2.0-rc.1 (" + fromCommit + ")"},
		{"a release with changes", "v1.2.0+dirty", vcs("true"), "v1.2.0 (" + fromCommit + ", with uncommitted changes)"},
		{"a commit without a tag", "v0.0.0-20261122230116-142675f89c39", vcs("false"), "devel (" + fromCommit + ")"},
		{"a commit after a release", "v1.2.1-0.20261122230116-142675f89c39", vcs("false"), "devel (" + fromCommit + ")"},
		{"an untagged commit with changes", "v0.0.0-20261122230116-142675f89c39+dirty", vcs("true"), "devel (" + fromCommit + ", with uncommitted changes)"},
		{"changes, built by an older Go", "(devel)", vcs("true"), "devel (" + fromCommit + ", with uncommitted changes)"},
		{"a downloaded release", "v1.2.0", nil, "v1.2.0 (commit not recorded)"},
		{"go run, or no version control", "(devel)", nil, "devel (commit not recorded)"},
		{"an odd time", "(devel)", []debug.BuildSetting{{Key: "vcs.revision", Value: "7"}, {Key: "vcs.time", Value: "yesterday"}}, "devel (commit 7)"},
	} {
		settings := append(c.settings, debug.BuildSetting{Key: "GOOS", Value: "plan9"}, debug.BuildSetting{Key: "GOARCH", Value: "mips"})
		info := &debug.BuildInfo{GoVersion: "go1.99", Main: debug.Module{Version: c.version}, Settings: settings}
		if got, want := process.BuildOf(info).String(), c.want+" go1.99 plan9/mips"; got != want {
			t.Errorf("%s: %q, want %q", c.name, got, want)
		}
	}
	want := "devel (commit not recorded) " + runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH
	if got := process.BuildOf(nil).String(); got != want {
		t.Errorf("no build information: %q, want %q", got, want)
	}
	if got := process.ThisBuild().String(); !strings.Contains(got, " "+runtime.Version()) {
		t.Errorf("the build of this program is %q, want the Go version in it", got)
	}
}

// TestPrograms checks the programs that .ci/release built in the directory ELECTOP_TEST_RELEASES.
func TestPrograms(t *testing.T) {
	dir := os.Getenv("ELECTOP_TEST_RELEASES")
	if dir == "" {
		t.Skip("ELECTOP_TEST_RELEASES is not set")
	}
	sums, err := os.Open(filepath.Join(dir, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	defer sums.Close()
	n := 0
	for lines := bufio.NewScanner(sums); lines.Scan(); n++ {
		sum, name, _ := strings.Cut(lines.Text(), "  ")
		t.Run(name, func(t *testing.T) { checkProgram(t, filepath.Join(dir, name), sum) })
	}
	if n == 0 {
		t.Error("SHA256SUMS names no program")
	}
}

func checkProgram(t *testing.T, file, sum string) {
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got := sha256.Sum256(b); hex.EncodeToString(got[:]) != sum {
		t.Errorf("the checksum is %x, SHA256SUMS has %s", got, sum)
	}
	info, err := buildinfo.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	set := map[string]string{}
	for _, s := range info.Settings {
		set[s.Key] = s.Value
	}
	if set["CGO_ENABLED"] != "0" || set["-trimpath"] != "true" {
		t.Errorf("built with %v, want CGO_ENABLED=0 and -trimpath=true", set)
	}
	build := process.BuildOf(info)
	if build.Commit == "" || build.Modified || build.Time.IsZero() {
		t.Errorf("built from %+v, want an unmodified commit with its time", build)
	}
	name := strings.TrimSuffix(filepath.Base(file), ".exe")
	if want := "electop-" + strings.ReplaceAll(build.Platform, "/", "-"); name != want {
		t.Errorf("the name is %s, want %s", name, want)
	}
	if !strings.HasPrefix(build.Platform, "linux/") {
		return
	}
	x, err := elf.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for _, p := range x.Progs {
		if p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC {
			t.Errorf("the program is not static: it has %s", p.Type)
		}
	}
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestAwait(t *testing.T) {
	failed, why := errors.New("failed"), errors.New("why")
	if v, err := process.Await(t.Context(), func() (int, error) { return 7, failed }); v != 7 || err != failed {
		t.Errorf("got %d, error %v; want 7, error %v", v, err, failed)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	later := make(chan struct{})
	v, err := process.Await(ctx, func() (int, error) {
		cancel(why)
		<-later
		return 7, nil
	})
	if v != 0 || err != why {
		t.Errorf("got %d, error %v; want 0, error %v", v, err, why)
	}
	close(later)
}
