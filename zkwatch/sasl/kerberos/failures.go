package kerberos

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"electop/zkwatch/sasl"
)

// Codes of Kerberos's errors (RFC 4120, 7.5.9).
const (
	clientUnknown  = 6
	serviceUnknown = 7
	cannotPostdate = 10
	noKeyType      = 14
	clientRevoked  = 18
	keyExpired     = 23
	badPreauth     = 24
	unavailable    = 29
	integrity      = 31
	ticketExpired  = 32
	ticketNotYet   = 33
	clockSkew      = 37
)

// A failure is an error of the KDC, with its code.
type failure struct {
	code int
	err  error
}

func (f failure) Error() string { return f.err.Error() }
func (f failure) Unwrap() error { return f.err }

// codeOf is the code of the KDC's error, 0 if err is none.
func codeOf(err error) int {
	for err != nil {
		if f, ok := err.(failure); ok {
			return f.code
		}
		u, ok := err.(interface{ Unwrap() error })
		if !ok {
			return 0
		}
		err = u.Unwrap()
	}
	return 0
}

// kdcError is the only trace of a code that the library leaves in its errors.
var kdcError = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`KRB Error: \((\d+)\) (.*)`) })

// explained says what an error of the library means. Answers of a KDC would be the same
// again, except that it is overloaded or does not know a service of this server.
func explained(err error) error {
	m := kdcError().FindStringSubmatch(err.Error())
	if m == nil {
		switch text := err.Error(); {
		case strings.Contains(text, "clock skew"):
			return failure{clockSkew, rejected(meaning(clockSkew))}
		case strings.Contains(text, "Decrypting_Error"), strings.Contains(text, "key not found in keytab"), strings.Contains(text, "matching key not found"):
			return failure{badPreauth, rejected(meaning(badPreauth))}
		case strings.Contains(text, "Networking_Error"):
			return fmt.Errorf("the KDC is not reached: %w", err)
		}
		return err
	}
	code, _ := strconv.Atoi(m[1])
	why := meaning(code)
	if why == "" {
		why = fmt.Sprintf("%.200s", m[2])
	}
	if code == serviceUnknown || code == unavailable {
		return failure{code, fmt.Errorf("%s (code %d)", why, code)}
	}
	return failure{code, rejected(fmt.Sprintf("%s (code %d)", why, code))}
}

func rejected(why string) error { return fmt.Errorf("%w: %s", sasl.ErrRejected, why) }

// meaning says what a code means for the user, "" if the KDC's own words do.
func meaning(code int) string {
	return map[int]string{
		clientUnknown:  "the KDC does not know this principal",
		serviceUnknown: "the KDC does not know this service",
		cannotPostdate: "the clocks of this machine and the KDC differ too much",
		noKeyType:      "the KDC supports none of the encryption types",
		clientRevoked:  "the account is locked or has expired",
		keyExpired:     "the password, and so the keytab, has expired",
		badPreauth:     "the key is not that of the principal: was the password changed after the keytab was made?",
		integrity:      "the key is not that of the principal: was the password changed after the keytab was made?",
		unavailable:    "the KDC is not available",
		ticketExpired:  "the ticket has expired: run kinit",
		ticketNotYet:   "the ticket is not valid yet: do the clocks agree?",
		clockSkew:      "the clocks of this machine and the KDC differ too much",
	}[code]
}
