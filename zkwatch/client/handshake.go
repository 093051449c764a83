package client

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/zkwatch/sasl"
	"electop/zkwatch/wire"
)

func (n *serverConn) connectResponse(head []byte) error {
	timeout := time.Duration(int32(binary.BigEndian.Uint32(head[4:]))) * time.Millisecond
	id := binary.BigEndian.Uint64(head[8:])
	if id != 0 && timeout < minTimeout {
		return fmt.Errorf("%w: a session timeout of %v", ErrProtocol, timeout)
	}
	n.mu.Lock()
	n.responded = true
	requested, sent := n.requested, n.connectSent
	n.mu.Unlock()
	if err := n.conn.granted(n, requested, id, timeout, sent); err != nil || id == 0 {
		return err
	}
	if err := n.authenticate(); err != nil {
		return err
	}
	n.Conn.SetDeadline(time.Time{}) // the library sets its own deadlines
	n.sendCredentials()
	n.conn.linkReady(n)
	return nil
}

// sendCredentials writes in a goroutine, so that its caller can read: some servers answer a credential
// before they read the next one.
func (n *serverConn) sendCredentials() {
	if len(n.conn.cfg.Auth) == 0 {
		return
	}
	n.writing <- struct{}{}
	spawned := n.conn.spawn(func() {
		defer func() { <-n.writing }()
		for _, a := range n.conn.cfg.Auth {
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

// authReply ends the Conn after a refusal, because the server would refuse the credential again.
func (n *serverConn) authReply(code wire.Code) error {
	scheme := "unknown"
	if n.authReplies < len(n.conn.cfg.Auth) {
		scheme = n.conn.cfg.Auth[n.authReplies].Scheme
	}
	n.authReplies++
	if code == wire.OK {
		return nil
	}
	err := fmt.Errorf("credential for scheme %s at %s: %w (code %d)", scheme, n.addr, zk.ErrAuthFailed, int32(code))
	n.conn.terminate(Closed, err, false)
	return err
}

func (n *serverConn) explain(err error) error {
	if n.hasConnectResponse() {
		return fmt.Errorf("read: %w", err)
	}
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("no answer to the request for a session; the attempt took longer than %v: %w", n.conn.cfg.DialTimeout, err)
	case hungUp(err), errors.Is(err, io.ErrClosedPipe):
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	// In TLS 1.3 the server's alert arrives only after the client's handshake.
	if cfg := n.conn.cfg.TLS; cfg != nil {
		if why := explainTLS(err, len(cfg.Certificates)); why != "" {
			return fmt.Errorf("%s: %w", why, err)
		}
	}
	return fmt.Errorf("read: %w", err)
}

const (
	xidSASL = xidCloseSession - 1

	// maxRounds bounds the calls of Exchange.Next. DIGEST-MD5 and GSSAPI need three.
	maxRounds = 8

	maxSASLReply = replyHeaderSize + 4 + sasl.MaxToken // bytes
)

func (n *serverConn) authenticate() error {
	if n.exchange == nil {
		return nil
	}
	var token []byte
	for range maxRounds {
		answer, done, err := n.exchange.Next(token)
		if err != nil {
			return n.unauthenticated(err)
		}
		if answer != nil {
			var code wire.Code
			if token, code, err = n.exchangeTokens(answer); err != nil {
				return fmt.Errorf("SASL %s: %w", n.conn.cfg.SASL.Name(), err)
			}
			switch code {
			case wire.OK:
			case wire.AuthFailed, wire.AuthRequired:
				return n.unauthenticated(n.exchange.Refused())
			case wire.Unimplemented:
				return n.unauthenticated(sasl.ErrUnsupported)
			default:
				return n.unauthenticated(code)
			}
		}
		if done {
			return nil
		}
	}
	return n.unauthenticated(fmt.Errorf("%w: no end after %d tokens", sasl.ErrChallenge, maxRounds))
}

func (n *serverConn) exchangeTokens(token []byte) ([]byte, wire.Code, error) {
	if !n.conn.gate.Pass(n.closed) {
		return nil, 0, net.ErrClosed
	}
	request := wire.AppendFrame(nil, &wire.RequestHeader{Xid: xidSASL, Op: wire.OpSASL}, &wire.SASLToken{Token: token})
	if _, err := n.Conn.Write(request); err != nil {
		return nil, 0, fmt.Errorf("write: %w", err)
	}
	frame, err := wire.ReadFrame(n.reader, maxSASLReply)
	var size *wire.FrameSizeError
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, 0, fmt.Errorf("no answer to a token; the attempt took longer than %v: %w", n.conn.cfg.DialTimeout, err)
	case hungUp(err):
		return nil, 0, fmt.Errorf("the server closed the connection: %w", err)
	case errors.As(err, &size):
		return nil, 0, fmt.Errorf("%w: %w", ErrProtocol, err)
	case err != nil:
		return nil, 0, fmt.Errorf("read: %w", err)
	}
	var header wire.ReplyHeader
	var reply wire.SASLToken
	d := wire.NewDecoder(frame)
	header.Fields(d)
	if d.Err() == nil && header.Err == wire.OK {
		reply.Fields(d)
	}
	if err := d.Err(); err != nil {
		return nil, 0, fmt.Errorf("%w: %w", ErrProtocol, err)
	}
	if header.Xid != xidSASL {
		return nil, 0, fmt.Errorf("%w: a reply with xid %d to a SASL token", ErrProtocol, header.Xid)
	}
	return reply.Token, header.Err, nil
}

func (n *serverConn) unauthenticated(why error) error {
	err := refusal{fmt.Errorf("SASL %s at %s: %w", n.conn.cfg.SASL.Name(), n.addr, why)}
	n.conn.terminate(Closed, err, false)
	return err
}
