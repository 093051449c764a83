package cli

import (
	"cmp"
	"fmt"
	"time"

	"electop/model"
	"electop/model/znode"
)

// statement is what a candidate reports about itself.
type statement struct {
	at     time.Time
	member model.Member
	over   bool   // the program was interrupted
	closed string // why the candidate has ended: this is the last statement, without member
}

// campaignPrinter prints a line for each change of what a candidate believes or
// watches.
type campaignPrinter struct {
	std  IO
	path string
	json bool
	n    uint64
	last model.Member
	end  model.Member // what was reported after the interrupt
}

// campaignEvent is a line of `campaign --json`.
type campaignEvent struct {
	N       uint64  `json:"n"`
	At      string  `json:"at"`
	Type    string  `json:"type"` // candidate
	Belief  string  `json:"belief"`
	Znode   *string `json:"znode"`
	Session *string `json:"session"`
	Watches *string `json:"watches"`
	Fence   *string `json:"fence"`
	Lease   *string `json:"lease_until"` // as of this line; it is renewed continually
	Detail  *string `json:"detail"`      // why it was lost, or what stops it
}

func (p *campaignPrinter) print(r statement) {
	at, m := r.at, r.member
	switch {
	case r.closed != "":
		m = p.ended(r.closed)
	case r.over && m.Belief == model.Lost: // its session is about to be closed
		p.end = m
		return
	}
	if r.closed == "" && m.Belief == p.last.Belief && m.Znode == p.last.Znode && m.Obstacle == p.last.Obstacle && (m.Watches == p.last.Watches || m.Belief != model.Waiting) {
		return
	}
	p.last = m
	p.n++
	if !p.json {
		fmt.Fprintf(p.std.Out, "%s  %s\n", at.Local().Format("15:04:05.000"), p.line(m, r.closed != ""))
		return
	}
	optional := func(set bool, s string) *string {
		if !set {
			return nil
		}
		return &s
	}
	_ = p.std.json(campaignEvent{ // it fails only if nobody reads the output
		N: p.n, At: at.UTC().Format(time.RFC3339Nano), Type: "candidate", Belief: string(m.Belief),
		Znode:   optional(m.Znode != "", znode.Join(p.path, m.Znode)),
		Session: optional(m.Session != 0, znode.Hex(m.Session)),
		Watches: optional(m.Belief == model.Waiting && m.Watches != "", znode.Join(p.path, m.Watches)),
		Fence:   optional(m.Fence != 0, znode.Hex(uint64(m.Fence))),
		Lease:   optional(!m.LeaseEnd.IsZero(), m.LeaseEnd.UTC().Format(time.RFC3339Nano)),
		Detail:  optional(m.Belief == model.Lost || m.Belief == model.Resigned || m.Obstacle != "", cmp.Or(m.Obstacle, m.Reason)),
	})
}

// ended is the candidate at the end of the program, for the reason why. It has closed its session,
// unless it had one and no server was connected.
func (p *campaignPrinter) ended(why string) model.Member {
	m := p.end
	if m.Session != 0 && m.Ending != model.Closing {
		m.Belief, m.Reason = model.Lost, why+" without a connection: its znode is deleted when its session expires"
		return m
	}
	m.Belief, m.Reason = model.Resigned, why
	return m
}

func (p *campaignPrinter) line(m model.Member, ended bool) string {
	obstacle := ""
	if m.Obstacle != "" {
		obstacle = ": " + znode.Safe(m.Obstacle, 0)
	}
	switch m.Belief {
	case model.Volunteering:
		if m.Znode == "" {
			return "volunteering" + obstacle
		}
		return "in the queue as " + znode.Safe(m.Znode, 0)
	case model.Waiting:
		return "waiting behind " + znode.Safe(m.Watches, 0) + obstacle
	case model.Elected:
		return "elected, not leading yet" + obstacle
	case model.Leading:
		return "leading, token " + znode.Zxid(m.Fence)
	case model.Suspended:
		return "suspended" + obstacle
	case model.Resigned, model.Lost:
		if ended {
			return "withdrew: " + m.Reason
		}
		return "lost: " + m.Reason + "; volunteering again"
	}
	return string(m.Belief)
}
