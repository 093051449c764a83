package doctor

import (
	"fmt"

	"electop/model"
	"electop/model/dialect"
	"electop/model/units"
)

const strangersMax = 2000

func foreignChild(r *ruleRun) {
	s := r.s
	if s.Single || len(s.Ignored) == 0 || s.ElectionUnseen() {
		return
	}
	var harmless []*dialect.Candidate
	for _, c := range s.Ignored[:min(len(s.Ignored), strangersMax)] {
		severity, why := r.blocks(c)
		switch {
		case severity != "":
			waits := "It does not end with a session, so such a client waits behind it forever."
			if c.Session != 0 {
				waits = "Such a client waits behind it until the child's session ends."
			}
			f := r.find(strangerInQueue, safe(c.Name), "{waits}", waits)
			f.Severity, f.Znodes = severity, []string{r.path(c.Name)}
			if c.Session == 0 {
				f.wait = 0 // a persistent znode outlives its client
			}
			f.because("%s: %s", described(c), why)
		case r.dialect() == "mesos" && c.Name == "log_replicas": // Mesos itself creates it
		case c.Session == 0 && !c.Unread:
			harmless = append(harmless, c)
		}
	}
	if len(harmless) == 0 {
		return
	}
	children := units.Count(len(harmless), "child is not a candidate", "children are not candidates")
	if len(s.Ignored) > strangersMax {
		children = "at least " + children
	}
	f := r.find(strangers, "others", "{children}", children)
	for _, c := range harmless {
		f.because("%s", described(c))
		f.Znodes = append(f.Znodes, r.path(c.Name))
	}
}

func (r *ruleRun) blocks(c *dialect.Candidate) (blocking Severity, why string) {
	s := r.s
	if c.Session == 0 && !c.Unread && c.HasSequence {
		twin := *c
		twin.Session = 1
		if s.Recipe.Contends(&twin) {
			behind, _ := model.Position(s.Recipe, s.Queue, &twin)
			waits := s.Queue.Len() - behind
			switch {
			case s.Ack.Names(s.First()):
				return Info, "persistent, with a candidate's name; the leader ignored it"
			case waits == s.Queue.Len() && waits > 0:
				return Critical, "persistent, with a lower number than every candidate"
			}
			return Warning, fmt.Sprintf("persistent, with a candidate's name; %s behind it", candidates(waits))
		}
	}
	if s.Dialect.Outranks(s.Queue, c) {
		return Critical, "in Curator's order it comes before every number"
	}
	return "", ""
}
