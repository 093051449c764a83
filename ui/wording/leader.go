package wording

import (
	"strings"

	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/units"
)

// Sentence is words as a sentence.
func Sentence(words string) string { return strings.ToUpper(words[:1]) + words[1:] + "." }

// TakeOver says who could take over from a leader without a queue.
func TakeOver(s *doctor.State) string { return doctor.Could("take over", s.Standbys()) }

// Registry reports whether the children are members of a group.
func Registry(s *doctor.State) bool { return s.Dialect.Kind() == dialect.KindRegistry }

// CountOf counts the queue in the words of what it is.
func CountOf(s *doctor.State) string {
	if Registry(s) {
		return units.Count(s.Queue.Len(), "member", "members")
	}
	return units.Count(s.Queue.Len(), "candidate", "candidates")
}
