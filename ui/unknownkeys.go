package ui

import (
	tea "github.com/charmbracelet/bubbletea"

	"electop/model/znode"
)

// unknownKeys are the keys that were said to mean nothing.
type unknownKeys map[string]bool

// unknownMax bounds how many unknown keys are remembered.
const unknownMax = 256

// says that a key means nothing here, "" where that was said before.
func (all *unknownKeys) says(msg tea.KeyMsg) string {
	k := msg.String()
	if msg.Paste || (*all)[k] {
		return ""
	}
	if *all == nil {
		*all = make(unknownKeys)
	}
	if len(*all) < unknownMax {
		(*all)[k] = true
	}
	if k == " " {
		k = "space"
	}
	return znode.Safe(k, 16) + " does nothing here: ? lists the keys"
}
