package zktest

import (
	"fmt"
	"strings"
	"time"
)

// An Option configures the servers of [NewApache] or [NewEnsemble].
type Option func(*Server)

// WithAdmin turns the AdminServer on; see Server.Admin.
func WithAdmin() Option { return func(s *Server) { s.admin = true } }

// WithTick sets the tick, by default 100 ms. The shortest session timeout is two ticks.
func WithTick(tick time.Duration) Option { return func(s *Server) { s.tick = tick } }

// WithLinks connects members over links, for [Ensemble.Hold] and [Ensemble.Isolate].
func WithLinks() Option { return func(s *Server) { s.links = true } }

// WithLimits sets initLimit and syncLimit in ticks. The defaults are about 10 s and 5 s, at least 5 and 2 ticks.
func WithLimits(initLimit, syncLimit int) Option {
	return func(s *Server) { s.initLimit, s.syncLimit = initLimit, syncLimit }
}

// WithStockSessions sets a tick of 2 s, and keeps Apache's bounds of session timeouts: 2 and 20 ticks.
func WithStockSessions() Option {
	return func(s *Server) { s.tick, s.stock = 2*time.Second, true }
}

// WithWords sets the allowed four-letter words, separated by commas. srvr is always allowed.
func WithWords(words string) Option {
	return func(s *Server) { s.words = strings.Trim("srvr,"+words, ",") }
}

// WithTLS opens a TLS port, Server.Secure, for clients with a certificate of c's authority.
func WithTLS(c *Certificates) Option { return func(s *Server) { s.tls = c } }

// WithSASL turns SASL on. login is the JAAS section Server without its braces.
func WithSASL(login string) Option { return func(s *Server) { s.login = login } }

// DigestUsers returns a login for [WithSASL] with DIGEST-MD5. users maps names to passwords.
func DigestUsers(users map[string]string) string {
	var b strings.Builder
	b.WriteString("org.apache.zookeeper.server.auth.DigestLoginModule required")
	for name, password := range users {
		fmt.Fprintf(&b, "\n  user_%s=\"%s\"", name, strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(password))
	}
	return b.String() + ";"
}

// ForSpeed omits the Java options that make a server start faster but run slower.
func ForSpeed() Option { return func(s *Server) { s.quick = false } }

// WithProperty sets a system property of Java.
func WithProperty(key, value string) Option {
	return func(s *Server) { s.properties = append(s.properties, "-D"+key+"="+value) }
}
