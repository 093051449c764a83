package ui

import (
	"strconv"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"electop/ui/input"
	"electop/ui/term"
)

// playing is the past of a running election as it is played: time passes from one
// moment on. A recording is played by its source.
type playing struct {
	on    bool
	from  time.Time // moment at which it began
	began time.Time // by the real clock
	speed float64   // 0: 1
}

// Speeds at which the past is played.
const (
	slowest = 1. / 16
	fastest = 256.
)

// at is the time that the playback has reached.
func (p *playing) at(now time.Time) time.Time {
	return p.from.Add(time.Duration(float64(now.Sub(p.began)) * p.rate()))
}

func (p *playing) rate() float64 {
	if p.speed == 0 {
		return 1
	}
	return p.speed
}

// restart plays on from t.
func (p *playing) restart(t, now time.Time) { p.on, p.from, p.began = true, t, now }

// scale plays faster or slower from now on.
func (p *playing) scale(by float64, now time.Time) {
	if p.on {
		p.from, p.began = p.at(now), now
	}
	p.speed = max(slowest, min(fastest, p.rate()*by))
}

// words are how time passes, with the sign for it.
func (p *playing) words(g *term.Glyphs) string {
	switch {
	case p.on && p.rate() == 1:
		return g.Play
	case p.on:
		return g.Play + " x" + strconv.FormatFloat(p.rate(), 'g', 3, 64)
	}
	return ""
}

// playPause lets time pass in the past, or holds it.
func (d *dashboard) playPause() tea.Cmd {
	switch {
	case d.o.reel() != nil && d.journey.On:
		return d.live()
	case d.o.reel() != nil:
		return d.depart()
	case d.play.on:
		d.play.on = false
		return nil
	case !d.journey.Known:
		return nil
	case d.journey.At.Last:
		d.say(term.Muted, "play: this is the last moment")
		return nil
	}
	d.play.restart(d.since, d.o.Now())
	return d.playOn()
}

// playOn goes where the playback is by now.
func (d *dashboard) playOn() tea.Cmd {
	if !d.play.on || !d.journey.On {
		return nil
	}
	d.since, d.dirty = d.play.at(d.o.Now()), true
	return d.doer.search(d.journey.PlayTo(d.since))
}

// pace makes the playback slower or faster.
func (d *dashboard) pace(do input.Command) tea.Cmd {
	by, arg := 2., ArgFaster
	if do == input.CmdPlaySlower {
		by, arg = .5, ArgSlower
	}
	if reel := d.o.reel(); reel != nil {
		if d.o.Actions == nil {
			return nil
		}
		return d.doer.cmd(Action{Kind: Slow, Election: d.path, Arg: arg}, "", d.candidates.Row().Ref())
	}
	d.play.scale(by, d.o.Now())
	d.say(term.Muted, "the past is played at x"+strconv.FormatFloat(d.play.rate(), 'g', 3, 64))
	return nil
}
