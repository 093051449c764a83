package input

import (
	"fmt"
	"strings"
)

// longHelp says more than the footer has room for.
func longHelp(b Binding) string {
	switch b.Do {
	case CmdInspect:
		return "everything about the selected candidate, its data read again"
	case CmdFilter:
		return "show only rows with this text in them"
	case CmdPause:
		return "hold the picture and go back in time"
	case cmdSpawn:
		return "one more candidate"
	case cmdKill:
		return "cut the selected candidate's connection, with no goodbye"
	case cmdFreeze:
		return "freeze the selected candidate, as a long pause does; thaw it"
	case cmdResign:
		return "the selected candidate closes its session and leaves"
	case cmdCampaign:
		return "this program stands for election itself; withdraws"
	case cmdHerd:
		return "everybody watches the leader (herd), or its predecessor"
	case cmdVerify:
		return "ask the servers now who watches what, and who is connected"
	case CmdDoctor:
		return "what the doctor found wrong with this election"
	case CmdServers:
		return "the members of the ensemble, and what they were asked"
	case CmdChoose:
		return "all elections: those watched, and those found on the cluster"
	case CmdNext:
		return "the next of the elections watched"
	case CmdPrevious:
		return "the one before it"
	case CmdOpen:
		return "watch the selected election and show it"
	case cmdLook:
		return "search the cluster for elections again"
	case CmdTheme:
		return "dark, light, no colours"
	case CmdFaults:
		return "what can be done to the selected candidate to see what happens"
	case CmdDoFault:
		return "do the selected fault"
	case CmdSlower:
		return "the embedded server holds each reply and notification for longer, up to 1.5 s, then until a step lets it go"
	case CmdFaster:
		return "it holds them for less long, or not at all"
	case CmdStep:
		return "one protocol step: the next reply or notification goes; with none held, a wait is skipped"
	case CmdWorkers:
		return "leaders have workers that write: belief and truth side by side; again: no more"
	case CmdFence:
		return "workers check that their leader's znode is there with each write, or do not"
	case CmdZoom:
		return "the panel with the focus fills the screen, a crowd as a grid; again: back"
	case CmdJoin:
		return "how programs of your own join this election"
	case CmdLessons:
		return "lessons: the election explained, step by step, by doing it"
	case CmdLearn:
		return "begin the selected lesson, for which the demo starts afresh; or end the one that is on"
	case CmdAnswer:
		return "the answer with that number"
	case CmdContinue:
		return "it is read: go on; after the last part, the next lesson"
	case CmdHint:
		return "a hint, and then the next one"
	case CmdSkip:
		return "past what is asked or waited for"
	case CmdReread:
		return "back to the part before"
	case CmdEarlier, CmdLater, CmdStepBack, CmdStepOn, CmdHandBack, CmdHandOn:
		return map[Command]string{
			CmdEarlier: "to the event before", CmdLater: "to the next event",
			CmdStepBack: "to the step of the recipe before", CmdStepOn: "to the next step of the recipe",
			CmdHandBack: "to the handoff before", CmdHandOn: "to the next handoff",
		}[b.Do]
	case CmdLive:
		return "back to what happens now"
	}
	return b.Help().Desc
}

// Markdown returns the table of keys for the README.
func Markdown() string {
	var out strings.Builder
	table := Bindings(false)
	for i, m := range modes {
		if i > 0 {
			out.WriteByte('\n')
		}
		title := m.title
		if m.mode == ModeHelp {
			title = "In the help"
		}
		fmt.Fprintf(&out, "%s:", title)
		if m.note != "" {
			fmt.Fprintf(&out, " %s", strings.ToLower(m.note[:1])+m.note[1:])
		}
		out.WriteString("\n\n| key | does |\n|---|---|\n")
		for _, b := range table {
			if b.Modes&m.mode == 0 {
				continue
			}
			var keys []string
			for _, k := range b.Keys() {
				if k == " " {
					k = "space"
				}
				keys = append(keys, "`"+strings.ReplaceAll(k, "+", "-")+"`")
			}
			fmt.Fprintf(&out, "| %s | %s |\n", strings.Join(keys, " "), longHelp(b))
		}
	}
	return out.String()
}
