package admin

import (
	"time"

	"electop/zkwatch/admin/command"
	"electop/zkwatch/admin/transport"
)

// A server is what is known of one address from poll to poll. It belongs to the
// poll under way, and in it to one goroutine.
type server struct {
	*access
	backoff    backoff
	identity   command.Identity // as it said last
	identifyAt time.Time        // it is not asked who it is before
}

func newServer(cfg *Config, http *transport.HTTP, words *transport.Words, addr string) *server {
	return &server{access: newAccess(cfg, http, words, addr)}
}
