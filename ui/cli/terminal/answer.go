package terminal

import (
	"strings"
)

// fits reports whether c can be in an answer that begins like that: of a colour, the
// letters and signs of one, so that a key is not lost where the rest of the answer is.
func fits(body []byte, c byte) bool {
	number, _, text := strings.Cut(string(body), ";")
	if !text {
		return c == ';' || c >= '0' && c <= '9'
	}
	if len(number) == 2 && number[0] == '1' {
		return strings.IndexByte("0123456789abcdefABCDEFrg:/#", c) >= 0
	}
	return c >= 0x20
}
