package candidates

import (
	"fmt"
	"strings"

	"electop/model"
	"electop/model/doctor"
	"electop/model/phrase"
	"electop/model/units"
	"electop/model/znode"
	"electop/ui/term"
	"electop/ui/wording"
)

// Explain says in words why there is no queue to show: what is missing, what
// is waited for, and what to do. The first line is a heading.
func Explain(f *term.Frame, s *doctor.State, cluster string, spawns, campaigns bool) []string {
	path := znode.Safe(s.Path, 0)
	where := znode.Safe(cluster, 64)
	if where == "" {
		where = "the cluster"
	}
	switch {
	case s.Phase == model.Unseen && s.Link.Refused:
		return []string{"The servers refuse this client",
			"Last attempt: " + znode.Safe(s.Link.Err, 0),
			"electop tries again after pauses of up to 30 s: many attempts can lock an account.",
			"What to do: check the credentials (electop help authentication)."}
	case s.Phase == model.Unseen && s.Link.Link != model.Connected:
		lines := []string{"Not connected yet",
			"Waiting for " + where + ". The election appears as soon as a server answers."}
		if why := znode.Safe(s.Link.Err, 0); why != "" {
			lines = append(lines, "Last attempt: "+why)
		}
		return append(lines, "What to do: check the address and that the server runs. With no server at hand, the demo brings its own.")
	case s.Phase == model.Unseen:
		return []string{"Connected, reading " + path,
			"The candidates appear as soon as the server has answered."}
	case s.Phase == model.NoParent:
		return []string{path + " does not exist",
			"An election is a znode whose children are the candidates. This one does not exist.",
			"Waiting for its creation: then its candidates appear here.",
			"What to do: check the path, start a candidate, or create it with --create."}
	case s.Phase == model.Forbidden:
		lines := []string{"Not allowed to list " + path,
			"Its ACL forbids this connection to read the children.",
			"Waiting for the ACL to change.",
			"What to do: connect with credentials that have READ on " + path + "."}
		if n := s.Queue.Len(); n > 0 {
			lines = append(lines, "Until "+f.Clock(s.ReadAt)+" there were "+units.Count(n, "candidate", "candidates")+".")
		}
		return lines
	case s.Queue.Len() == 0 && wording.Single(s):
		return append([]string{"Nobody leads",
			"There is no queue here: " + path + " is the leader's own znode, and it does not exist.",
			"Whoever creates it next leads. " + wording.Sentence(doctor.Could("lead", s.Standbys()))}, phrase.Beside(s)...)
	case s.ElectionUnseen():
		return []string{"No election seen here", wording.Sentence(phrase.NoLeader(s).Sentence),
			"What to do: e shows the elections that a search finds. If this is an election's path, its candidates appear here."}
	case s.Queue.Len() == 0:
		lines := []string{"No candidates"}
		if wording.Locks(s) {
			lines[0] = "Nobody holds the lock, and nobody waits"
		}
		lines = append(lines, phrase.Beside(s)...)
		if s.NextSequenceKnown {
			lines = append(lines, fmt.Sprintf("The next volunteer gets the number %d and leads at once: there is nobody to wait for.", s.NextSequence))
		} else {
			lines = append(lines, "The next volunteer leads at once: there is nobody to wait for.")
		}
		var keys []string
		if spawns {
			keys = append(keys, "s spawns a candidate")
		}
		if campaigns {
			keys = append(keys, "c makes this program one")
		}
		if len(keys) > 0 {
			lines = append(lines, "What to do: "+strings.Join(keys, ", ")+".")
		}
		return lines
	}
	return nil
}
