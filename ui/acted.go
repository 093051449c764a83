package ui

import (
	"errors"

	"electop/model/dialect"
	"electop/model/znode"
)

// done tells how an action ended.
func (d *dashboard) done(m doneMsg) {
	d.dirty = true
	if did, ok := errors.AsType[Did](m.err); ok {
		d.say(styleGood, znode.Safe(string(did), 0))
		return
	}
	if m.err != nil {
		d.failed(m.action)
		what := verb(m.action)
		if m.action.Target != "" {
			what += " " + m.name
		}
		d.say(styleTrouble, what+": "+znode.Safe(m.err.Error(), 0))
		return
	}
	switch m.action.Kind {
	case Refresh:
		if d.mode == modeInspect && m.action.Election == d.path && same(m.of, d.over.of) {
			d.over.readAt = d.o.Now()
		}
	case Open:
		d.opened(m.action.Target)
	case Pause:
		d.stopped = !d.stopped
	case Spawn:
		d.say(styleGood, "one more candidate volunteers")
	case Kill:
		d.say(styleGood, m.name+" is killed: its connection is cut, with no goodbye")
	case Freeze:
		if m.action.Arg == ArgThaw {
			d.say(styleGood, m.name+" is thawed and finds out what happened meanwhile")
		} else {
			d.say(styleGood, m.name+" is frozen: it reads, writes and decides nothing")
		}
	case Resign:
		d.say(styleGood, m.name+" resigns")
	case Campaign:
		if m.action.Arg == ArgWithdraw {
			d.say(styleGood, "this program withdraws from the election")
		} else {
			d.say(styleGood, "this program stands for election")
		}
	case Herd:
		if m.action.Arg == dialect.Herd().Name() {
			d.say(styleGood, "herd: from now on everybody watches the leader")
		} else {
			d.say(styleGood, "from now on everybody watches its predecessor")
		}
	case Partition:
		d.say(styleGood, m.name+map[string]string{
			ArgOn:  " is cut off: nothing passes between it and the servers, and it runs on",
			ArgOff: " reaches the servers again and finds out what happened meanwhile",
		}[m.action.Arg])
	case LoseReply:
		d.say(styleGood, m.name+" volunteers anew, and the reply to its create gets lost")
	case NoGuid:
		d.say(styleGood, map[string]string{
			ArgOn:  "the next znode of " + m.name + " has no guid in its name: a lost reply makes a ghost",
			ArgOff: "the next znode of " + m.name + " has a guid again, by which it finds it after a lost reply",
		}[m.action.Arg])
	case Expire:
		d.say(styleGood, "the session of "+m.name+" expires now, and its znode goes with it")
	case SlowLead:
		d.say(styleGood, map[string]string{
			ArgOn:  m.name + " will not finish its leader procedure: elected, not acknowledged",
			ArgOff: m.name + " finishes its leader procedure",
		}[m.action.Arg])
	case Slow:
		d.say(styleGood, map[string]string{ArgSlower: "the server speaks more slowly", ArgFaster: "the server speaks faster"}[m.action.Arg])
	case Step:
		d.say(styleGood, "one protocol step")
	case Workers:
		d.say(styleGood, map[string]string{
			ArgOn:  "leaders have workers from now on, which write to a shared counter",
			ArgOff: "the workers stop",
		}[m.action.Arg])
	case Fence:
		d.say(styleGood, map[string]string{
			ArgOn:  "fence on: a write is done only if the leader's znode is there",
			ArgOff: "fence off: each write is a plain set",
		}[m.action.Arg])
	}
}

// verb is what an action is called in a sentence.
func verb(a Action) string {
	switch {
	case a.Arg == ArgThaw, a.Arg == ArgWithdraw:
		return a.Arg
	case a.Kind == Herd && a.Arg == dialect.Election().Name():
		return "predecessor"
	case a.Kind == Slow:
		return a.Arg
	case a.Kind == Partition && a.Arg == ArgOff:
		return "heal"
	case a.Kind == NoGuid && a.Arg == ArgOff:
		return "guid again"
	case a.Kind == SlowLead && a.Arg == ArgOff:
		return "lead on"
	case (a.Kind == Workers || a.Kind == Fence) && a.Arg == ArgOff:
		return "no " + string(a.Kind)
	case a.Kind == Step:
		return "one protocol step"
	case a.Kind == Refresh:
		return "read again"
	case a.Kind == Discover:
		return "look for elections"
	}
	return string(a.Kind)
}
