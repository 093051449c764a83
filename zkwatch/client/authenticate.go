package client

import (
	"errors"
	"fmt"
	"net"
	"os"

	"electop/zkwatch/sasl"
	"electop/zkwatch/wire"
)

const (
	// xidSASL is an xid that the library's own requests do not reach in practice. The
	// server answers one request before the next is sent, so all have the same.
	xidSASL = xidGoodbye - 1

	// maxRounds bounds the requests of an exchange: DIGEST-MD5 has two, GSSAPI three.
	maxRounds = 8

	// maxSASLReply bounds a reply, in bytes.
	maxSASLReply = replyHeaderSize + 4 + sasl.MaxToken
)

// authenticate authenticates with SASL. The library has not learnt of its session yet,
// so nothing else is read or written meanwhile. The deadline of the handshake bounds
// it. Failures other than of the connection end the Conn: they would be repeated, and
// without the identity reads could lack what its ACL hides.
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

// exchangeTokens sends a token and returns the server's, and what the server says of ours.
func (n *serverConn) exchangeTokens(token []byte) ([]byte, wire.Code, error) {
	if !n.conn.gate.Pass(n.closed) {
		return nil, 0, net.ErrClosed
	}
	request := wire.AppendFrame(nil, &wire.RequestHeader{Xid: xidSASL, Op: wire.OpSASL}, &wire.SASLToken{Token: token})
	if _, err := n.Conn.Write(request); err != nil {
		return nil, 0, fmt.Errorf("write: %w", err)
	}
	frame, err := wire.ReadFrame(n.ahead, maxSASLReply)
	var size *wire.FrameSizeError
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, 0, fmt.Errorf("no answer within %v: %w", n.conn.cfg.DialTimeout, err)
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

// unauthenticated ends the Conn because the server does not accept its account, or is
// not the right server.
func (n *serverConn) unauthenticated(why error) error {
	err := refusal{fmt.Errorf("SASL %s at %s: %w", n.conn.cfg.SASL.Name(), n.addr, why)}
	n.conn.terminate(Closed, err, false)
	return err
}

// authRequired ends the Conn because the server demands an authentication. It would
// do so on each connection.
func (n *serverConn) authRequired() error {
	err := fmt.Errorf("%s: %w", n.addr, ErrAuthRequired)
	n.conn.terminate(Closed, err, false)
	return err
}
