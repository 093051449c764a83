package client_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"electop/zkwatch/client"
	"electop/zkwatch/internal/clienttest"
)

func TestParseAuth(t *testing.T) {
	for line, scheme := range map[string]string{
		"digest:ann:s3cret":       "digest",
		"digest:ann:s3:cr:et\r\n": "digest",
		"super:x":                 "super",
		"sasl:ann:s3:cret":        "sasl",
	} {
		if a, err := client.ParseAuth(line); err != nil || a.Scheme != scheme {
			t.Errorf("%q: %v, %v", line, a, err)
		}
	}
	for _, line := range []string{
		"", "S3cret", "digest", "digest:", "digest:S3cret", "digest::S3cret", "digest:ann:", ":ann:S3cret",
		"S3cret:ann", "dig est:S3cret", "sasl:S3cret", "sasl::S3cret", "sasl:ann:", "sasl:ann:S3cret\xff", "digest:ann:S3cret" + strings.Repeat("x", 64<<10), strings.Repeat("s", 40) + ":S3cret",
	} {
		if a, err := client.ParseAuth(line); err == nil {
			t.Errorf("%.40q: accepted as %v", line, a)
		} else if strings.Contains(err.Error(), "S3cret") {
			t.Errorf("%.40q: %v", line, err)
		}
	}
}

func TestReadAuthFile(t *testing.T) {
	good := clienttest.File(t, "# who we are\n\n  \ndigest:ann:s3cret\nsuper:x\n")
	auths, err := client.ReadAuthFile(good)
	if err != nil || len(auths) != 2 || auths[0].Scheme != "digest" || auths[1].Scheme != "super" {
		t.Errorf("%v, %v", auths, err)
	}
	for name, c := range map[string]struct{ path, want string }{
		"missing":     {filepath.Join(t.TempDir(), "none"), "none"},
		"a directory": {t.TempDir(), "directory"},
		"empty":       {clienttest.File(t, "# nothing\n"), "no credential"},
		"malformed":   {clienttest.File(t, "digest:ann:S3cret\nS3cret\n"), "line 2"},
		"a long line": {clienttest.File(t, "digest:ann:S3cret\n"+strings.Repeat("S3cret", 20<<10)), "line 2"},
		"endless":     {clienttest.File(t, strings.Repeat("digest:ann:S3cret\n", 60<<10)), "larger than"},
	} {
		_, err := client.ReadAuthFile(c.path)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "S3cret") {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if runtime.GOOS == "windows" {
		return
	}
	for _, mode := range []os.FileMode{0o640, 0o604, 0o620, 0o666} {
		if err := os.Chmod(good, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := client.ReadAuthFile(good); err == nil || !strings.Contains(err.Error(), good) || !strings.Contains(err.Error(), "chmod 600") {
			t.Errorf("mode %o: %v", mode, err)
		}
	}
	if err := os.Chmod(good, 0o400); err != nil {
		t.Fatal(err)
	}
	if _, err := client.ReadAuthFile(good); err != nil {
		t.Error(err)
	}
}
