package process

import (
	"cmp"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

// Build describes how a program was built.
type Build struct {
	Version  string // of the module, as in "v1.2.0"; "" if it is not recorded or is a pseudo-version of Commit
	Commit   string
	Time     time.Time // of the commit; zero: not recorded
	Modified bool      // files differed from the commit
	Go       string    // "go1.26.0"
	Platform string    // "linux/amd64"
}

// ThisBuild returns the build of this program.
func ThisBuild() Build {
	info, _ := debug.ReadBuildInfo()
	return BuildOf(info)
}

// BuildOf returns the build that info describes. info may be nil.
func BuildOf(info *debug.BuildInfo) Build {
	b := Build{Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info == nil {
		return b
	}
	b.Go = cmp.Or(info.GoVersion, b.Go)
	b.Version, b.Modified = strings.CutSuffix(info.Main.Version, "+dirty")
	system, machine, _ := strings.Cut(b.Platform, "/")
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Time, _ = time.Parse(time.RFC3339, s.Value)
		case "vcs.modified":
			b.Modified = b.Modified || s.Value == "true"
		case "GOOS":
			system = s.Value
		case "GOARCH":
			machine = s.Value
		}
	}
	b.Platform = system + "/" + machine
	// The version of an untagged commit is a pseudo-version. It ends with the first digits of the commit.
	if b.Version == "(devel)" || b.Commit != "" && strings.HasSuffix(b.Version, "-"+b.Commit[:min(len(b.Commit), commitDigits)]) {
		b.Version = ""
	}
	return b
}

// commitDigits is the length of the commit in a pseudo-version.
const commitDigits = 12

// String returns one line that begins with the version, or "devel" if there is none.
func (b Build) String() string {
	commit := "commit not recorded"
	if b.Commit != "" {
		commit = "commit " + b.Commit[:min(len(b.Commit), commitDigits)]
		if !b.Time.IsZero() {
			commit += " of " + b.Time.UTC().Format("2006-01-02 15:04:05") + " UTC"
		}
	}
	if b.Modified {
		commit += ", with uncommitted changes"
	}
	return cmp.Or(b.Version, "devel") + " (" + commit + ") " + b.Go + " " + b.Platform
}
