//go:build unix

package cli_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"electop/demo/zktest"
)

// waiting reports whether a goroutine of process.Await runs. It ignores ReadLine, which reads the input.
func waiting() bool {
	stacks := make([]byte, 4<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	return slices.ContainsFunc(strings.Split(string(stacks), "\n\n"), func(stack string) bool {
		return strings.Contains(stack, "created by electop/ui/cli/process.Await") && !strings.Contains(stack, "process.ReadLine")
	})
}

func TestInterruptedAtAFIFO(t *testing.T) {
	dir := t.TempDir()
	realms := filepath.Join(dir, "krb5.conf")
	if err := os.WriteFile(realms, []byte("[libdefaults]\ndefault_realm = EXAMPLE\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const fifo = "FIFO"
	status := []string{"status", "/e", "-s", "127.0.0.1:1"}
	for name, c := range map[string]struct{ args, env []string }{
		"auth file":    {args: append(status, "--auth-file", fifo)},
		"authorities":  {args: append(status, "--tls-ca", fifo)},
		"certificate":  {args: append(status, "--tls-key", realms, "--tls-cert", fifo)},
		"keytab":       {args: append(status, "--krb5-keytab", fifo)},
		"realms":       {args: append(status, "--krb5"), env: []string{"KRB5_CONFIG", fifo}},
		"tickets":      {args: append(status, "--krb5"), env: []string{"KRB5CCNAME", "FILE:" + fifo}},
		"log":          {args: append(status, "--log-file", fifo)},
		"server's log": {args: []string{"serve", "--listen", "127.0.0.1:0", "--log-file", fifo}},
		"recording":    {args: []string{"replay", fifo, "--json"}},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(dir, strings.ReplaceAll(name, " ", "-"))
			if err := syscall.Mkfifo(file, 0o600); err != nil {
				t.Fatal(err)
			}
			t.Setenv("KRB5_CONFIG", realms)
			if c.env != nil {
				t.Setenv(c.env[0], strings.ReplaceAll(c.env[1], fifo, file))
			}
			args := slices.Clone(c.args)
			for i := range args {
				args[i] = strings.ReplaceAll(args[i], fifo, file)
			}
			command := run(t, args...)
			zktest.Await(t, "a goroutine at the FIFO", waiting)
			command.cancel()
			code := command.finish(t)
			// A goroutine that waits in open(2) ends if the FIFO is opened and closed here.
			for ; waiting(); time.Sleep(time.Millisecond) {
				end, err := os.OpenFile(file, os.O_RDWR|syscall.O_NONBLOCK, 0)
				if err != nil {
					t.Fatal(err)
				}
				end.Close()
			}
			if code != 130 || command.errs.all() != "" {
				t.Errorf("exit code %d, want 130 and no error: %s", code, command.errs.all())
			}
		})
	}
}
