package term

import (
	"strconv"
	"strings"
)

// ink is the memory of short texts that are made for one picture, as numbers and ages are.
// They lie one after the other, so that a table costs no allocation for each of its cells.
// Nothing in it is written again: a text stays good as long as somebody has it.
type ink struct{ text strings.Builder }

// inkRoom is how much is taken at once: enough for some pictures.
const inkRoom = 4096

// Ink returns b as a text to draw: what is appended to room on the stack needs none of its
// own.
func (k *ink) Ink(b []byte) string {
	if k.text.Cap()-k.text.Len() < len(b) {
		k.text.Reset() // the texts keep what they are in
		k.text.Grow(max(inkRoom, len(b)))
	}
	from := k.text.Len()
	k.text.Write(b)
	return k.text.String()[from:]
}

// Int returns n as a text to draw.
func (k *ink) Int(n int64) string {
	var room [20]byte
	return k.Ink(strconv.AppendInt(room[:0], n, 10))
}
