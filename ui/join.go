package ui

import "electop/model/znode"

// joinIndent is that of the lines to paste.
const joinIndent = 2

// lineMax bounds them: they are programs, of a line.
const lineMax = 2000

// drawJoin draws how programs from elsewhere take part.
func (d *dashboard) drawJoin(f *frame) {
	var lines [][]span
	inside := d.w - 4 - 2 - 2
	say := func(st style, indent int, text string) {
		for _, part := range wrap(text, inside-indent) {
			lines = append(lines, []span{{text: blanks(indent)}, {style: st, text: part}})
		}
	}
	if why := d.cannotJoin(); why != "" {
		say(styleText, 0, why)
	} else {
		broken := false
		for i, v := range d.o.Invitations {
			if i > 0 {
				lines = append(lines, nil)
			}
			text := znode.Safe(v.Line, lineMax)
			broken = broken || width(text) > inside-joinIndent
			say(styleHeading, 0, znode.Safe(v.Program, nameMax))
			say(styleStrong, joinIndent, text)
		}
		lines = append(lines, nil)
		if broken {
			say(styleMuted, 0, "What is broken here at the end of a line is one line. A wider screen shows it whole.")
		}
		if d.o.Open {
			say(styleTrouble, 0, "The address is open to the network: whoever reaches this machine can join, and write to its ZooKeeper.")
		} else {
			say(styleMuted, 0, "Only programs on this machine reach the address. electop demo --listen 0.0.0.0:2181 opens it to others.")
		}
		say(styleMuted, 0, "Candidates from elsewhere appear with their address. They can be watched, and not killed: only our own can.")
	}
	d.drawOverlay(f, "Join this election", d.w, lines)
}

// cannotJoin says why there is no way to join, "" if there is one.
func (d *dashboard) cannotJoin() string {
	switch {
	case len(d.o.Invitations) > 0:
		return ""
	case d.o.Mode == ModeReplay:
		return "This is a recording: what happened has happened, and nobody can join."
	case d.o.Mode == ModeDemo:
		return "This demo has no address for other programs."
	}
	return "This is a cluster of your own: a program joins with the cluster's address, as with electop campaign " + znode.Safe(d.path, 0) + " -s " + znode.Safe(d.o.Cluster, 120) + "."
}
