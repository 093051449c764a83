package zktest

import (
	"fmt"
	"strings"
	"time"
)

// An Option of [NewApache] and [NewEnsemble].
type Option func(*Server)

// WithAdmin turns the AdminServer on: see Server.Admin.
func WithAdmin() Option { return func(s *Server) { s.admin = true } }

// WithTick sets the tick, 100 ms otherwise. Sessions last two ticks at least,
// and expire on a tick.
func WithTick(tick time.Duration) Option { return func(s *Server) { s.tick = tick } }

// WithLinks has each member of an ensemble reach the others only over links,
// one for each pair and direction of dialing, which Ensemble.Hold and
// Ensemble.Isolate cut.
func WithLinks() Option { return func(s *Server) { s.links = true } }

// WithLimits sets how many ticks a member of an ensemble has to catch up with
// the ensemble leader, and how many may pass without an answer before one gives
// the other up. Ten and five seconds otherwise.
func WithLimits(initLimit, syncLimit int) Option {
	return func(s *Server) { s.initLimit, s.syncLimit = initLimit, syncLimit }
}

// WithStockSessions has the tick of the configuration that Apache ships, 2 s, and
// what follows from it for sessions: 4 s to 40 s.
func WithStockSessions() Option {
	return func(s *Server) { s.tick, s.stock = 2*time.Second, true }
}

// WithWords sets which four-letter words are answered, comma-separated; all
// are otherwise. The word srvr is always among them: it shows
// whether the server serves.
func WithWords(words string) Option {
	return func(s *Server) { s.words = strings.Trim("srvr,"+words, ",") }
}

// WithTLS has the server take clients with TLS too, at Server.Secure, if they
// show a certificate of the same authority.
func WithTLS(c *Certificates) Option { return func(s *Server) { s.tls = c } }

// WithSASL has the server authenticate clients that ask for it with SASL. login is the
// section Server of its JAAS configuration, between the braces: see [DigestUsers].
func WithSASL(login string) Option { return func(s *Server) { s.login = login } }

// DigestUsers is what [WithSASL] needs for DIGEST-MD5: users and their passwords.
func DigestUsers(users map[string]string) string {
	var b strings.Builder
	b.WriteString("org.apache.zookeeper.server.auth.DigestLoginModule required")
	for name, password := range users {
		fmt.Fprintf(&b, "\n  user_%s=\"%s\"", name, strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(password))
	}
	return b.String() + ";"
}

// ForSpeed lets Java compile and collect garbage as it does by default, for
// benchmarks. Otherwise it is optimized for a quick start.
func ForSpeed() Option { return func(s *Server) { s.quick = false } }

// WithProperty sets a system property of the virtual machine.
func WithProperty(key, value string) Option {
	return func(s *Server) { s.properties = append(s.properties, "-D"+key+"="+value) }
}
