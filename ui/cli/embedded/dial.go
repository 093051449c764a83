package embedded

import (
	"context"
	"net"

	"electop/demo/zkserver"
	"electop/zkwatch/client"
)

// Within returns conn for candidates in the same process.
func Within(conn client.Config, s *zkserver.Server) client.Config {
	conn.Dial = func(context.Context, string, string) (net.Conn, error) { return s.Dial() }
	return conn
}

// Backstage returns conn for an observer: the server does not slow it down and
// does not count its requests.
func Backstage(conn client.Config, s *zkserver.Server) client.Config {
	conn.Dial = func(context.Context, string, string) (net.Conn, error) { return s.DialBackstage() }
	return conn
}
