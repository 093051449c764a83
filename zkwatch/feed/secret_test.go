package feed_test

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"electop/demo"
	"electop/demo/zkserver"
	"electop/model"
	"electop/model/doctor"
	"electop/model/history"
	"electop/zkwatch/client"
	"electop/zkwatch/feed"
	"electop/zkwatch/observer"
)

// The recording of an observer and of a candidate that have a password holds
// all that they do, trouble with the connection too, and not the password.
func TestRecordingHasNoPassword(t *testing.T) {
	const password = "sesame-open"
	dir := t.TempDir()
	auth := filepath.Join(dir, "auth")
	if err := os.WriteFile(auth, []byte("digest:u:"+password+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	credentials, err := client.ReadAuthFile(auth)
	if err != nil {
		t.Fatal(err)
	}
	server := zkserver.New(zkserver.Options{})
	defer server.Close()
	servers, err := client.ParseConnectString("127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	refused := 2 // of the first connections
	conn := client.Config{
		Servers: servers, SessionTimeout: 4 * time.Second, Auth: credentials,
		Dial: func(context.Context, string, string) (net.Conn, error) {
			if refused--; refused >= 0 {
				return nil, errors.New("connection refused")
			}
			return server.Dial()
		},
	}
	plain := conn
	plain.Dial = func(context.Context, string, string) (net.Conn, error) { return server.Dial() }

	file := filepath.Join(dir, "recording")
	r, err := feed.Create(file, 1<<20, history.NewHeader(acking, feed.Now()))
	if err != nil {
		t.Fatal(err)
	}
	f := feed.New(feed.Config{Election: acking, Record: r})
	end := running(f)
	cast := demo.NewCast(demo.Config{Conn: plain, Path: path, Ack: acking.AckPath, Create: true, Now: feed.Now, Put: f.Put})
	if err := cast.SpawnInOrder(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	o := observer.New(observer.Config{Conn: conn, Path: path, Beside: observer.Beside{Acks: []string{acking.AckPath}}, Put: f.PutSlowly, Now: feed.Now})
	ctx, cancel := context.WithCancel(t.Context())
	watched := make(chan error, 1)
	go func() { watched <- o.Run(ctx) }()
	if _, err := f.Await(t.Context(), func(s *doctor.State) bool {
		return s.Queue.Len() == 2 && s.Link.Link == model.Connected && s.Acknowledged()
	}); err != nil {
		t.Fatal(err)
	}
	cancel()
	<-watched
	cast.Close()
	if err := errors.Join(end(), r.Close()); err != nil {
		t.Error(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, has := range []string{`"read"`, `"cast"`, `"ack"`, `"connection"`, "refused"} {
		if !strings.Contains(string(text), has) {
			t.Errorf("the recording has no %s: the test shows little", has)
		}
	}
	if strings.Contains(string(text), password) || strings.Contains(string(text), "digest") {
		t.Error("the recording has the password in it")
	}
}
