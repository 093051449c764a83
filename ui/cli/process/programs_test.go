package process_test

import (
	"bufio"
	"crypto/sha256"
	"debug/buildinfo"
	"debug/elf"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"electop/ui/cli/process"
)

// TestPrograms checks what .ci/release built: ELECTOP_TEST_RELEASES is its directory.
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
		t.Run(name, func(t *testing.T) { program(t, filepath.Join(dir, name), sum) })
	}
	if n == 0 {
		t.Error("no programs")
	}
}

func program(t *testing.T, file, sum string) {
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got := sha256.Sum256(b); hex.EncodeToString(got[:]) != sum {
		t.Errorf("its checksum is %x, SHA256SUMS has %s", got, sum)
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
		t.Errorf("built with %v", set)
	}
	build := process.BuildOf(info)
	if build.Commit == "" || build.Modified || build.Time.IsZero() {
		t.Errorf("built from %+v", build)
	}
	name := strings.TrimSuffix(filepath.Base(file), ".exe")
	if want := "electop-" + strings.ReplaceAll(build.Platform, "/", "-"); name != want {
		t.Errorf("its name is %s, want %s", name, want)
	}
	if !strings.HasPrefix(build.Platform, "linux/") {
		return
	}
	// A static program needs no loader and no library of the system.
	x, err := elf.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for _, p := range x.Progs {
		if p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC {
			t.Errorf("it is not static: it has %s", p.Type)
		}
	}
}
