package client

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"net"
	"slices"
	"time"

	"electop/zkwatch/fault"
	"electop/zkwatch/sasl"
	"electop/zkwatch/wire"
)

const (
	defaultSessionTimeout = 10 * time.Second
	defaultDialTimeout    = 3 * time.Second

	defaultBufferSize = 1536 << 10 // as in the library; a server's default limit is 1 MiB
	defaultMaxReply   = 16 << 20   // room for the names of 100,000 children

	minBufferSize = 1 << 10
	minMaxReply   = 1 << 10

	replyLimit = 1 << 30

	// requestOverhead bounds the bytes of a request's fixed part: lengths, xid, opcode, version, flags.
	requestOverhead = 64
)

// A Config describes to which cluster a [Conn] connects, and how.
type Config struct {
	Servers ConnectString
	// SessionTimeout is the requested session timeout, see Status.Timeout. 0 means 10 s.
	SessionTimeout time.Duration
	// DialTimeout bounds one attempt at one server, with TLS and SASL. 0 means 3 s.
	DialTimeout time.Duration
	// Dial connects to a server's host:port. It must return when ctx is done.
	// nil means a net.Dialer, which resolves the host name for each connection.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
	// TLS configures TLS over the connections of Dial; see [LoadTLS]. If TLS.ServerName is empty,
	// each certificate must match the server's host in Servers. nil means plain TCP.
	TLS *tls.Config
	// Logger receives the library's messages at debug level, without credentials. nil discards them.
	Logger *slog.Logger
	// BufferSize bounds a request, in bytes. Each Conn allocates a buffer of that size. A buffer of
	// less than 128 KiB must have room for the paths of all watches of GetW, ExistsW and ChildrenW.
	// 0 means 1.5 MiB; 16 KiB is enough for a candidate.
	BufferSize int
	// MaxReply bounds a reply, in bytes: a larger reply ends the connection with ErrReplyTooLarge.
	// 0 means 16 MiB; 64 KiB is enough for a candidate of a small election.
	MaxReply int
	// Tick is the longest tickTime of the ensemble's servers, from which [Conn.Renew] computes a
	// lease. 0 means unknown. The lease then assumes a tick of at most half the session timeout,
	// which is true unless minSessionTimeout is less than two ticks.
	Tick time.Duration
	// Auth has the credentials that every connection sends before any request. A credential of
	// scheme sasl is an account for SASL.
	Auth []Auth
	// SASL is the account with which every connection authenticates first. Auth must then have no
	// credential of scheme sasl: see ErrTwoAccounts.
	SASL sasl.Mechanism
	// Gate freezes the Conn. Several Conns may share a Gate. nil means a new gate.
	Gate *fault.Gate
	// Line simulates network partitions. nil means none.
	Line *fault.Line
	// Replies simulates lost replies. nil means none.
	Replies *fault.Replies
	// Shuffle orders the servers before the first attempt. nil means rand.Shuffle.
	Shuffle func(n int, swap func(i, j int))
}

func (cfg Config) withDefaults() (Config, error) {
	if len(cfg.Servers.Servers) == 0 {
		return cfg, errors.New("no servers")
	}
	if cfg.Servers.Chroot != "" {
		if err := wire.ValidatePath(cfg.Servers.Chroot); err != nil || cfg.Servers.Chroot == "/" {
			return cfg, fmt.Errorf("chroot %q: not the path of a znode below the root", cfg.Servers.Chroot)
		}
	}
	cfg.SessionTimeout = cmp.Or(cfg.SessionTimeout, defaultSessionTimeout)
	if cfg.SessionTimeout < time.Millisecond || cfg.SessionTimeout > math.MaxInt32*time.Millisecond {
		return cfg, fmt.Errorf("session timeout %v is not between 1ms and 24 days", cfg.SessionTimeout)
	}
	cfg.DialTimeout = cmp.Or(cfg.DialTimeout, defaultDialTimeout)
	if cfg.DialTimeout < 0 {
		return cfg, fmt.Errorf("dial timeout %v is negative", cfg.DialTimeout)
	}
	cfg.BufferSize = cmp.Or(cfg.BufferSize, defaultBufferSize)
	if cfg.BufferSize < minBufferSize {
		return cfg, fmt.Errorf("buffer size %d is less than %d", cfg.BufferSize, minBufferSize)
	}
	cfg.MaxReply = cmp.Or(cfg.MaxReply, defaultMaxReply)
	if cfg.MaxReply < minMaxReply || cfg.MaxReply > math.MaxInt32 {
		return cfg, fmt.Errorf("reply limit %d is not between %d and %d", cfg.MaxReply, minMaxReply, math.MaxInt32)
	}
	cfg.Auth = slices.Clone(cfg.Auth)
	for _, a := range cfg.Auth {
		if err := a.validate(); err != nil {
			return cfg, err
		}
	}
	if err := cfg.moveSASL(); err != nil {
		return cfg, err
	}
	if cfg.Dial == nil {
		cfg.Dial = new(net.Dialer).DialContext
	}
	cfg.Logger = cmp.Or(cfg.Logger, slog.New(slog.DiscardHandler))
	cfg.Gate = cmp.Or(cfg.Gate, new(fault.Gate))
	cfg.Replies = cmp.Or(cfg.Replies, new(fault.Replies))
	if cfg.Shuffle == nil {
		cfg.Shuffle = rand.Shuffle
	}
	if cfg.TLS != nil {
		cfg.TLS = cfg.TLS.Clone()
		cfg.TLS.MinVersion = max(cfg.TLS.MinVersion, tls.VersionTLS12)
	}
	return cfg, nil
}

func (cfg *Config) moveSASL() error {
	if cfg.Accounts() > 1 {
		return ErrTwoAccounts
	}
	i := slices.IndexFunc(cfg.Auth, isSASL)
	if i < 0 {
		return nil
	}
	account, err := cfg.Auth[i].saslAccount()
	if err != nil {
		return err
	}
	cfg.SASL, cfg.Auth = account, slices.Delete(cfg.Auth, i, i+1)
	return nil
}

// Accounts returns the number of SASL accounts in the configuration. A Conn accepts at most one.
func (cfg Config) Accounts() (n int) {
	if cfg.SASL != nil {
		n++
	}
	for _, a := range cfg.Auth {
		if isSASL(a) {
			n++
		}
	}
	return n
}

// Authenticates reports whether connections send a credential of Auth or SASL. A TLS client certificate does not count.
func (cfg Config) Authenticates() bool { return cfg.SASL != nil || len(cfg.Auth) > 0 }

// Roomier doubles MaxReply, up to replyLimit. It returns false if MaxReply cannot grow.
func (cfg Config) Roomier() (Config, bool) {
	room := cmp.Or(cfg.MaxReply, defaultMaxReply)
	cfg.MaxReply = min(2*room, replyLimit)
	return cfg, room < replyLimit
}
