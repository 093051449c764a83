package kerberos

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/jcmturner/gokrb5/v8/crypto"
	"github.com/jcmturner/gokrb5/v8/iana/etypeID"
	"github.com/jcmturner/gokrb5/v8/iana/keyusage"
	"github.com/jcmturner/gokrb5/v8/types"
)

// wrapHeader is the size of a wrap token's header (RFC 4121, 4.2.6.2): TOK_ID, flags,
// filler, EC, RRC and the sequence number.
const wrapHeader = 16

// Flags of a wrap token.
const (
	fromAcceptor = 1 << iota
	sealed
	acceptorSubkey
)

var errWrap = errors.New("invalid wrap token")

// A wrapper makes and checks tokens with the key of a security context.
type wrapper struct {
	key    types.EncryptionKey
	subkey bool // the key is the acceptor's subkey
}

// keyTypes are the types of keys that are supported, the most common first.
func keyTypes() []int32 {
	return []int32{
		etypeID.AES256_CTS_HMAC_SHA1_96, etypeID.AES128_CTS_HMAC_SHA1_96,
		etypeID.AES256_CTS_HMAC_SHA384_192, etypeID.AES128_CTS_HMAC_SHA256_128,
	}
}

// supported refuses keys whose tokens have another form (RFC 4757 and before).
func (w wrapper) supported() error {
	if slices.Contains(keyTypes(), w.key.KeyType) {
		return nil
	}
	return fmt.Errorf("the encryption type %d of the session key: only AES is", w.key.KeyType)
}

// wrap protects the integrity of a message of the initiator.
func (w wrapper) wrap(message []byte, sequence uint64) ([]byte, error) {
	token := []byte{0x05, 0x04, 0, 0xff, 0, 0, 0, 0}
	if w.subkey {
		token[2] |= acceptorSubkey
	}
	token = binary.BigEndian.AppendUint64(token, sequence)
	sum, err := w.sum(message, token, keyusage.GSSAPI_INITIATOR_SEAL)
	if err != nil {
		return nil, err
	}
	binary.BigEndian.PutUint16(token[4:], uint16(len(sum)))
	return append(append(token, message...), sum...), nil
}

// unwrap checks a token of the acceptor and returns its message.
func (w wrapper) unwrap(token []byte) ([]byte, error) {
	if len(token) < wrapHeader || token[0] != 0x05 || token[1] != 0x04 || token[3] != 0xff {
		return nil, errWrap
	}
	flags := token[2]
	switch {
	case flags&fromAcceptor == 0:
		return nil, fmt.Errorf("%w: it is not from the server", errWrap)
	case flags&sealed != 0:
		return nil, fmt.Errorf("%w: it is encrypted", errWrap)
	case flags&acceptorSubkey != 0 != w.subkey:
		return nil, fmt.Errorf("%w: it is made with another key", errWrap)
	}
	extra, rotated := int(binary.BigEndian.Uint16(token[4:])), int(binary.BigEndian.Uint16(token[6:]))
	body := token[wrapHeader:]
	if extra > len(body) {
		return nil, fmt.Errorf("%w: a checksum of %d bytes", errWrap, extra)
	}
	if len(body) > 0 { // the body is rotated to the right
		by := rotated % len(body)
		body = append(append([]byte(nil), body[by:]...), body[:by]...)
	}
	message, sum := body[:len(body)-extra], body[len(body)-extra:]
	header := append([]byte(nil), token[:wrapHeader]...)
	clear(header[4:8])
	e, err := crypto.GetEtype(w.key.KeyType)
	if err != nil {
		return nil, err
	}
	if len(sum) == 0 || !e.VerifyChecksum(w.key.KeyValue, append(append([]byte(nil), message...), header...), sum, keyusage.GSSAPI_ACCEPTOR_SEAL) {
		return nil, fmt.Errorf("%w: wrong checksum", errWrap)
	}
	return message, nil
}

// sum is the checksum of a message and of the header of its token, of which EC and RRC
// are zero.
func (w wrapper) sum(message, header []byte, usage uint32) ([]byte, error) {
	e, err := crypto.GetEtype(w.key.KeyType)
	if err != nil {
		return nil, err
	}
	return e.GetChecksumHash(w.key.KeyValue, append(append([]byte(nil), message...), header...), usage)
}
