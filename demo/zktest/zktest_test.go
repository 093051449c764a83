package zktest_test

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"electop/demo/zktest"
)

func TestMain(m *testing.M) { zktest.Main(m) }

func serves(addr string) bool {
	c, err := net.DialTimeout("tcp", addr, time.Second)
	if err != nil {
		return false
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(5 * time.Second))
	fmt.Fprint(c, "ruok")
	line, _ := bufio.NewReader(c).ReadString('\n')
	return line == "imok"
}

func TestServerDiesWithTheBinary(t *testing.T) {
	zktest.SecondTier(t)
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the kernel kills the server with the test binary only on Linux")
	}
	if os.Getenv("ZKTEST_HOLD") != "" {
		fmt.Println("serving", zktest.NewApache(t).Addr)
		<-t.Context().Done() // until killed
		return
	}
	zktest.Apache(t) // skips the test without Apache
	cmd := exec.Command(os.Args[0], "-test.run=^TestServerDiesWithTheBinary$", "-test.v")
	cmd.Env = append(os.Environ(), "ZKTEST_HOLD=1", "TMPDIR="+t.TempDir())
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var addr string
	for lines := bufio.NewScanner(out); addr == "" && lines.Scan(); {
		addr, _ = strings.CutPrefix(lines.Text(), "serving ")
		if addr == lines.Text() {
			addr = ""
		}
	}
	if addr == "" || !serves(addr) {
		t.Errorf("got no reply to ruok at %q, want imok", addr)
	}
	cmd.Process.Kill()
	cmd.Wait()
	zktest.Await(t, "the server ends with the test binary", func() bool { return !serves(addr) })
}
