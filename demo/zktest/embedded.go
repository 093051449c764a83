package zktest

import (
	"net"
	"testing"

	"electop/demo/zkserver"
)

// embedded returns the address of a fresh embedded server that is ended with
// the test.
func embedded(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("listen for the embedded server: %v", err)
	}
	s := zkserver.New(zkserver.Options{})
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	t.Cleanup(func() {
		s.Close()
		l.Close()
		<-served
	})
	return l.Addr().String()
}
