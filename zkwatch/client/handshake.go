package client

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/zkwatch/wire"
)

// connectResponse handles the answer to the request for a session: int
// protocolVersion, int timeOut, long sessionId, buffer passwd.
func (n *serverConn) connectResponse(head []byte) error {
	timeout := time.Duration(int32(binary.BigEndian.Uint32(head[4:]))) * time.Millisecond
	id := binary.BigEndian.Uint64(head[8:])
	if id != 0 && timeout < minTimeout {
		return fmt.Errorf("%w: a session timeout of %v", ErrProtocol, timeout)
	}
	n.mu.Lock()
	n.settled = true
	asked, hello := n.requested, n.hello
	n.mu.Unlock()
	if err := n.c.session(n, asked, id, timeout, hello); err != nil || id == 0 {
		return err
	}
	if err := n.authenticate(); err != nil {
		return err
	}
	n.Conn.SetReadDeadline(time.Time{}) // the library sets its own
	n.sendCredentials()
	n.c.confirmed(n)
	return nil
}

// sendCredentials sends them before anything that the library sends: it takes the
// token for writing before the library learns of its session. A goroutine writes
// them because Read has to continue meanwhile: a peer that answers the first before
// it reads the second would block both sides.
func (n *serverConn) sendCredentials() {
	auths := n.c.cfg.Auth
	if len(auths) == 0 {
		return
	}
	n.writing <- struct{}{}
	spawned := n.c.spawn(func() {
		defer func() { <-n.writing }()
		for _, a := range auths {
			frame := wire.AppendFrame(nil, &wire.RequestHeader{Xid: wire.XidAuth, Op: wire.OpAuth},
				&wire.AuthRequest{Scheme: a.Scheme, Auth: []byte(a.credential())})
			if _, err := n.Conn.Write(frame); err != nil {
				n.fail(fmt.Errorf("send credential for scheme %s: %w", a.Scheme, err))
				return
			}
		}
	})
	if !spawned {
		<-n.writing
	}
}

// authReply handles the answer to a credential. A server that refuses one would
// refuse it again.
func (n *serverConn) authReply(code wire.Code) error {
	scheme := "unknown"
	if n.auths < len(n.c.cfg.Auth) {
		scheme = n.c.cfg.Auth[n.auths].Scheme
	}
	n.auths++
	if code == wire.OK {
		return nil
	}
	err := fmt.Errorf("credential for scheme %s at %s: %w (code %d)", scheme, n.addr, zk.ErrAuthFailed, int32(code))
	n.c.terminate(Closed, err, false)
	return err
}

// explain says what an error of Read means.
func (n *serverConn) explain(err error) error {
	if n.isSettled() {
		return fmt.Errorf("read: %w", err)
	}
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("no answer to the request for a session within %v: %w", n.c.cfg.DialTimeout, err)
	case errors.Is(err, io.EOF), isReset(err), errors.Is(err, io.ErrClosedPipe):
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	// Since TLS 1.3 a server judges the client's certificate after the handshake.
	if n.c.cfg.TLS != nil {
		if why := explainTLS(err, len(n.c.cfg.TLS.Certificates)); why != "" {
			return fmt.Errorf("%s: %w", why, err)
		}
	}
	return fmt.Errorf("read: %w", err)
}

func isReset(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// refusalHint is a guess at why servers refuse this client, count times in a
// row, or "".
func (n *serverConn) refusalHint(count int) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case n.since > 0:
		return fmt.Sprintf("%d times; has the server lost what this client has seen, up to zxid %#x?", count, n.since)
	case count > 1 && n.c.cfg.TLS == nil:
		return fmt.Sprintf("%d times; too many connections from this address, see maxClientCnxns, or no quorum, or does this port want TLS?", count)
	case count > 1:
		return fmt.Sprintf("%d times; too many connections from this address, see maxClientCnxns, or no quorum?", count)
	}
	return ""
}
