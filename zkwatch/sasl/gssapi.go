package sasl

import (
	"encoding/asn1"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jcmturner/gokrb5/v8/asn1tools"
	"github.com/jcmturner/gokrb5/v8/crypto"
	"github.com/jcmturner/gokrb5/v8/gssapi"
	"github.com/jcmturner/gokrb5/v8/iana/chksumtype"
	"github.com/jcmturner/gokrb5/v8/iana/etypeID"
	"github.com/jcmturner/gokrb5/v8/iana/flags"
	"github.com/jcmturner/gokrb5/v8/iana/keyusage"
	"github.com/jcmturner/gokrb5/v8/messages"
	"github.com/jcmturner/gokrb5/v8/types"
)

// These constants identify the tokens of a security context (RFC 4121, 4.1).
const (
	apRequest = 0x0100
	apReply   = 0x0200
	apError   = 0x0300
)

// noLayer is the bit for no security layer (RFC 4752, 3.3).
const noLayer = 1

type ticket struct {
	ticket      messages.Ticket
	key         types.EncryptionKey
	end         time.Time
	user, realm string // the client's principal
	service     principal
	drop        func() // drops all cached tickets of the account
}

func (t ticket) owner() string { return t.user + "@" + t.realm }

type kerberosExchange struct {
	ticket  ticket
	request messages.APReq
	sent    types.Authenticator // the server must return this authenticator's time
	key     types.EncryptionKey // the security context's key
	subkey  byte
	step    int
}

func newExchange(t ticket) (*kerberosExchange, error) {
	x := &kerberosExchange{ticket: t, key: t.key}
	if err := checkKeyType(t.key); err != nil {
		return nil, rejected(err.Error())
	}
	var err error
	if x.sent, err = types.NewAuthenticator(t.realm, types.NewPrincipalName(1, t.user)); err != nil {
		return nil, fmt.Errorf("authenticator: %w", err)
	}
	// The checksum has the context's flags and no channel binding (RFC 4121, 4.1.1).
	sum := make([]byte, 24)
	binary.LittleEndian.PutUint32(sum, 16)
	binary.LittleEndian.PutUint32(sum[20:], gssapi.ContextFlagMutual|gssapi.ContextFlagInteg)
	x.sent.Cksum = types.Checksum{CksumType: chksumtype.GSSAPI, Checksum: sum}
	if x.request, err = messages.NewAPReq(t.ticket, t.key, x.sent); err != nil {
		return nil, fmt.Errorf("request to %s: %w", t.service, err)
	}
	types.SetFlag(&x.request.APOptions, flags.APOptionMutualRequired)
	return x, nil
}

// Next implements [Exchange]. It recovers, because the library may panic at a malformed token.
func (x *kerberosExchange) Next(token []byte) (answer []byte, done bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			answer, done, err = nil, false, fmt.Errorf("%w: it cannot be parsed", ErrChallenge)
		}
	}()
	x.step++
	switch {
	case x.step == 1:
		answer, err = x.first()
	case x.step == 2 && len(token) == 0:
		err = fmt.Errorf("%w: it sent no token", ErrUnsupported)
	case x.step == 2:
		answer, err = []byte{}, x.authenticate(token)
	case x.step == 3:
		answer, err = x.choose(token)
		done = err == nil
	default:
		err = fmt.Errorf("%w: the exchange is over", ErrChallenge)
	}
	if err != nil {
		answer = nil
	}
	return answer, done, err
}

// Refused implements [Exchange]. It drops the cached tickets, because the server may have a new key.
func (x *kerberosExchange) Refused() error {
	x.ticket.drop()
	if x.step == 1 {
		const question = "does the server's keytab have the current key of that service, and do the clocks agree?"
		return rejected(fmt.Sprintf("the server does not accept the ticket of %s for %s: %s", x.ticket.owner(), x.ticket.service, question))
	}
	return rejected(fmt.Sprintf("the server does not accept %s", x.ticket.owner()))
}

func (x *kerberosExchange) first() ([]byte, error) {
	request, err := x.request.Marshal()
	if err != nil {
		return nil, fmt.Errorf("request to %s: %w", x.ticket.service, err)
	}
	token, err := asn1.Marshal(asn1.ObjectIdentifier(gssapi.OIDKRB5.OID()))
	if err != nil {
		return nil, err
	}
	token = binary.BigEndian.AppendUint16(token, apRequest)
	return asn1tools.AddASNAppTag(append(token, request...), 0), nil
}

func (x *kerberosExchange) authenticate(token []byte) error {
	var outer asn1.RawValue
	var mechanism asn1.ObjectIdentifier
	rest, err := asn1.Unmarshal(token, &outer)
	if err != nil || len(rest) > 0 || outer.Class != asn1.ClassApplication || outer.Tag != 0 {
		return fmt.Errorf("%w: not a token of GSSAPI", ErrChallenge)
	}
	message, err := asn1.Unmarshal(outer.Bytes, &mechanism)
	if err != nil || !mechanism.Equal(asn1.ObjectIdentifier(gssapi.OIDKRB5.OID())) || len(message) < 2 {
		return fmt.Errorf("%w: not a token of Kerberos", ErrChallenge)
	}
	kind, message := binary.BigEndian.Uint16(message), message[2:]
	if kind == apError {
		var refusal messages.KRBError
		if err := refusal.Unmarshal(message); err != nil {
			return fmt.Errorf("%w: its error cannot be parsed", ErrChallenge)
		}
		return fmt.Errorf("%s: %w", x.ticket.service, explained(refusal))
	}
	var reply messages.APRep
	if kind != apReply || reply.Unmarshal(message) != nil {
		return fmt.Errorf("%w: not a reply of Kerberos", ErrChallenge)
	}
	plain, err := crypto.DecryptEncPart(reply.EncPart, x.ticket.key, keyusage.AP_REP_ENCPART)
	var part messages.EncAPRepPart
	if err == nil {
		err = part.Unmarshal(plain)
	}
	if err != nil || part.CTime.Unix() != x.sent.CTime.Unix() || part.Cusec != x.sent.Cusec {
		return fmt.Errorf("%w: it does not have the key of %s", ErrImpostor, x.ticket.service)
	}
	if len(part.Subkey.KeyValue) > 0 {
		x.key, x.subkey = part.Subkey, acceptorSubkey
		if checkKeyType(x.key) != nil {
			return fmt.Errorf("%w: AES (it chose a key of encryption type %d)", ErrUnsupported, x.key.KeyType)
		}
	}
	return nil
}

// choose names no authorization identity, so the server uses the client's principal.
func (x *kerberosExchange) choose(token []byte) ([]byte, error) {
	offer, err := x.unwrap(token)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrChallenge, err)
	case len(offer) != 4:
		return nil, fmt.Errorf("%w: an offer of %d bytes instead of 4", ErrChallenge, len(offer))
	case offer[0]&noLayer == 0:
		return nil, fmt.Errorf("%w: it demands a security layer, and electop has none: use TLS", ErrUnsupported)
	}
	return x.wrap([]byte{noLayer, 0, 0, 0})
}

// These bits are the flags of a wrap token (RFC 4121, 4.2.2).
const (
	fromAcceptor = 1 << iota
	sealed
	acceptorSubkey
)

func keyTypes() []int32 {
	return []int32{
		etypeID.AES256_CTS_HMAC_SHA1_96, etypeID.AES128_CTS_HMAC_SHA1_96,
		etypeID.AES256_CTS_HMAC_SHA384_192, etypeID.AES128_CTS_HMAC_SHA256_128,
	}
}

func checkKeyType(key types.EncryptionKey) error {
	if slices.Contains(keyTypes(), key.KeyType) {
		return nil
	}
	return fmt.Errorf("electop does not support the encryption type %d of the key: use AES", key.KeyType)
}

func (x *kerberosExchange) wrap(message []byte) ([]byte, error) {
	kind, err := crypto.GetEtype(x.key.KeyType)
	if err != nil {
		return nil, err
	}
	token := gssapi.WrapToken{Flags: x.subkey, EC: uint16(kind.GetHMACBitLength() / 8), SndSeqNum: uint64(x.sent.SeqNumber), Payload: message}
	if err := token.SetCheckSum(x.key, keyusage.GSSAPI_INITIATOR_SEAL); err != nil {
		return nil, err
	}
	return token.Marshal()
}

func (x *kerberosExchange) unwrap(b []byte) ([]byte, error) {
	if len(b) > gssapi.HdrLen { // the bytes after the header may be rotated to the right (RFC 4121, 4.2.5)
		body := b[gssapi.HdrLen:]
		by := int(binary.BigEndian.Uint16(b[6:])) % len(body)
		b = slices.Concat(b[:gssapi.HdrLen], body[by:], body[:by])
	}
	var token gssapi.WrapToken
	if err := token.Unmarshal(b, true); err != nil {
		return nil, fmt.Errorf("wrap token: %w", err)
	}
	if token.Flags&sealed != 0 || token.Flags&acceptorSubkey != x.subkey {
		return nil, errors.New("wrap token: it is encrypted, or made with another key")
	}
	if ok, _ := token.Verify(x.key, keyusage.GSSAPI_ACCEPTOR_SEAL); !ok { // the error would show the checksum
		return nil, errors.New("wrap token: wrong checksum")
	}
	return token.Payload, nil
}
