package terminal

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// askBackground asks for the background's colour.
const askBackground = ansi.RequestBackgroundColor

// lightAnswer reads the answer to askBackground.
func lightAnswer(answer string) (light, ok bool) {
	text, ok := strings.CutPrefix(answer, "11;")
	_, values, _ := strings.Cut(strings.Replace(text, "#", "#:", 1), ":")
	if !ok || strings.Trim(values, "0123456789abcdefABCDEF/") != "" {
		return false, false
	}
	c := ansi.XParseColor(text)
	if c == nil {
		return false, false
	}
	r, g, b, _ := c.RGBA()
	// How bright the eye finds a colour: green counts most.
	return 299*r+587*g+114*b > 1000*0xffff/2, true
}
