// Package clienttest has what tests of ZooKeeper's clients share: a scripted
// server ([Peer]), an embedded one ([Embedded]), and waiting for a status.
package clienttest

import (
	"context"
	"errors"
	"os"
	"slices"
	"testing"
	"time"

	"electop/demo/zktest"
	"electop/zkwatch/client"
)

// Connect connects until the test ends.
func Connect(t *testing.T, cfg client.Config) *client.Conn {
	t.Helper()
	c, err := client.Connect(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// Connected is Connect, and waits until there is a session.
func Connected(t *testing.T, cfg client.Config) *client.Conn {
	t.Helper()
	c := Connect(t, cfg)
	WaitState(t, c, client.Connected)
	return c
}

// Wait returns the first status from now on that ok accepts.
func Wait(t *testing.T, c *client.Conn, what string, ok func(client.Status) bool) client.Status {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var last client.Status
	for s := range c.Subscribe(ctx) {
		if last = s; ok(s) {
			return s
		}
	}
	t.Fatalf("no status %s; the last was %+v", what, last)
	return last
}

// WaitState returns the first status from now on with that state.
func WaitState(t *testing.T, c *client.Conn, state client.State) client.Status {
	t.Helper()
	return Wait(t, c, state.String(), func(s client.Status) bool { return s.State == state })
}

// WaitErr returns the first status from now on whose Err is target.
func WaitErr(t *testing.T, c *client.Conn, target error) client.Status {
	t.Helper()
	return Wait(t, c, target.Error(), func(s client.Status) bool { return errors.Is(s.Err, target) })
}

// Count counts x in a list.
func Count[T comparable](list []T, x T) int {
	return len(slices.DeleteFunc(slices.Clone(list), func(y T) bool { return y != x }))
}

// File returns the name of a new file with this content.
func File(t *testing.T, content string) string {
	t.Helper()
	f := zktest.Must(os.CreateTemp(t.TempDir(), "f"))
	defer f.Close()
	zktest.Must(f.WriteString(content))
	return f.Name()
}

// Until waits until try finds nothing wrong.
func Until(t *testing.T, what string, try func() error) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		err := try()
		switch {
		case err == nil:
			return
		case time.Now().After(deadline):
			t.Fatalf("%s: %v", what, err)
		}
	}
}
