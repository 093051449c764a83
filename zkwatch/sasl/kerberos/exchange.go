package kerberos

import (
	"encoding/asn1"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/jcmturner/gokrb5/v8/asn1tools"
	"github.com/jcmturner/gokrb5/v8/crypto"
	"github.com/jcmturner/gokrb5/v8/gssapi"
	"github.com/jcmturner/gokrb5/v8/iana/chksumtype"
	"github.com/jcmturner/gokrb5/v8/iana/flags"
	"github.com/jcmturner/gokrb5/v8/iana/keyusage"
	"github.com/jcmturner/gokrb5/v8/messages"
	"github.com/jcmturner/gokrb5/v8/types"

	"electop/zkwatch/sasl"
)

// Identifiers of the tokens of a security context (RFC 4121, 4.1).
const (
	apRequest = 0x0100
	apReply   = 0x0200
	apError   = 0x0300
)

// noLayer is the only security layer that is accepted: none (RFC 4752, 3.3).
const noLayer = 1

// A ticket is one that the KDC has issued, with the key that it shares with the service.
type ticket struct {
	ticket      messages.Ticket
	key         types.EncryptionKey
	end         time.Time
	user, realm string    // whose it is
	service     principal // whom it is for
	drop        func()    // forgets it
}

func (t ticket) owner() string { return t.user + "@" + t.realm }

// An exchange makes a security context with mutual authentication, and chooses no
// security layer. Its answers are the request with the ticket, nothing once the server
// has shown that it has the ticket's key, and the choice.
type exchange struct {
	ticket  ticket
	request messages.APReq
	proof   types.Authenticator // what the server must repeat
	context wrapper
	step    int
}

func newExchange(t ticket) (*exchange, error) {
	x := &exchange{ticket: t, context: wrapper{key: t.key}}
	if err := x.context.supported(); err != nil {
		return nil, rejected(err.Error())
	}
	var err error
	if x.proof, err = types.NewAuthenticator(t.realm, types.NewPrincipalName(1, t.user)); err != nil {
		return nil, fmt.Errorf("authenticator: %w", err)
	}
	// No channel binding, and the flags of the context.
	sum := make([]byte, 24)
	binary.LittleEndian.PutUint32(sum, 16)
	binary.LittleEndian.PutUint32(sum[20:], gssapi.ContextFlagMutual|gssapi.ContextFlagInteg)
	x.proof.Cksum = types.Checksum{CksumType: chksumtype.GSSAPI, Checksum: sum}
	if x.request, err = messages.NewAPReq(t.ticket, t.key, x.proof); err != nil {
		return nil, fmt.Errorf("request to %s: %w", t.service, err)
	}
	types.SetFlag(&x.request.APOptions, flags.APOptionMutualRequired)
	return x, nil
}

// Next implements [sasl.Exchange]. The library may panic where a token is malformed.
func (x *exchange) Next(token []byte) (answer []byte, done bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			answer, done, err = nil, false, fmt.Errorf("%w: it cannot be parsed", sasl.ErrChallenge)
		}
	}()
	x.step++
	switch {
	case x.step == 1:
		answer, err = x.first()
	case x.step == 2 && len(token) == 0:
		err = fmt.Errorf("%w: it sent no token", sasl.ErrUnsupported)
	case x.step == 2:
		answer, err = []byte{}, x.authenticate(token)
	case x.step == 3:
		answer, err = x.choose(token)
		done = err == nil
	default:
		err = fmt.Errorf("%w: the exchange is over", sasl.ErrChallenge)
	}
	if err != nil {
		answer = nil
	}
	return answer, done, err
}

// Refused implements [sasl.Exchange]. The ticket is forgotten: the server may have
// another key by now.
func (x *exchange) Refused() error {
	x.ticket.drop()
	if x.step == 1 {
		return rejected(fmt.Sprintf("the server does not accept the ticket of %s for %s: has it that principal, with the same key, and do the clocks agree?", x.ticket.owner(), x.ticket.service))
	}
	return rejected(fmt.Sprintf("the server does not accept %s", x.ticket.owner()))
}

// first is the token with the ticket.
func (x *exchange) first() ([]byte, error) {
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

// authenticate checks that the server has the ticket's key.
func (x *exchange) authenticate(token []byte) error {
	var outer asn1.RawValue
	var mechanism asn1.ObjectIdentifier
	rest, err := asn1.Unmarshal(token, &outer)
	if err != nil || len(rest) > 0 || outer.Class != asn1.ClassApplication || outer.Tag != 0 {
		return fmt.Errorf("%w: not a token of GSSAPI", sasl.ErrChallenge)
	}
	message, err := asn1.Unmarshal(outer.Bytes, &mechanism)
	if err != nil || !mechanism.Equal(asn1.ObjectIdentifier(gssapi.OIDKRB5.OID())) || len(message) < 2 {
		return fmt.Errorf("%w: not a token of Kerberos", sasl.ErrChallenge)
	}
	kind, message := binary.BigEndian.Uint16(message), message[2:]
	if kind == apError {
		var refusal messages.KRBError
		if err := refusal.Unmarshal(message); err != nil {
			return fmt.Errorf("%w: its error cannot be parsed", sasl.ErrChallenge)
		}
		return fmt.Errorf("%s: %w", x.ticket.service, explained(refusal))
	}
	var reply messages.APRep
	if kind != apReply || reply.Unmarshal(message) != nil {
		return fmt.Errorf("%w: not a reply of Kerberos", sasl.ErrChallenge)
	}
	plain, err := crypto.DecryptEncPart(reply.EncPart, x.ticket.key, keyusage.AP_REP_ENCPART)
	var part messages.EncAPRepPart
	if err == nil {
		err = part.Unmarshal(plain)
	}
	if err != nil || part.CTime.Unix() != x.proof.CTime.Unix() || part.Cusec != x.proof.Cusec {
		return fmt.Errorf("%w: it does not have the key of %s", sasl.ErrImpostor, x.ticket.service)
	}
	if len(part.Subkey.KeyValue) > 0 {
		x.context = wrapper{key: part.Subkey, subkey: true}
		if err := x.context.supported(); err != nil {
			return fmt.Errorf("%w: %w", sasl.ErrUnsupported, err)
		}
	}
	return nil
}

// choose answers the server's offer of security layers. An authorization identity is
// not named: it is the client's principal.
func (x *exchange) choose(token []byte) ([]byte, error) {
	offer, err := x.context.unwrap(token)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", sasl.ErrChallenge, err)
	case len(offer) != 4:
		return nil, fmt.Errorf("%w: an offer of %d bytes", sasl.ErrChallenge, len(offer))
	case offer[0]&noLayer == 0:
		return nil, fmt.Errorf("%w: it demands a security layer, and electop has none: use TLS", sasl.ErrUnsupported)
	}
	return x.context.wrap([]byte{noLayer, 0, 0, 0}, uint64(x.proof.SeqNumber))
}
