package check

import (
	"time"

	"electop/model/units"
)

var guid = Check{
	Name:   "guid",
	Title:  "no second znode after the replies to the create and to the next getChildren were lost",
	Source: "recipe Leader Election: a candidate finds its own znode again by a guid in the name; samuel/go-zookeeper#229",
	needs:  queued,
	do: func(w *world) {
		w.start(2)
		in := w.add()
		in.now.loses = true
		in.now.losesList = true
		if err := in.launch(); err != nil {
			w.unknown("%v", err)
		}
		lost := func() time.Time { return in.facts().lost }
		if !w.await(joinLimit, func() bool { return !lost().IsZero() }) {
			w.unknown("%s created no sequential znode in time: %s", in.id, in.lastOutput())
		}
		// The znode of an abandoned session disappears when that session expires.
		joined := func() bool {
			sessionAt := in.facts().sessionAt
			since := in.messages(sessionAt)
			return sessionAt.After(lost()) && len(since) > 0 && time.Since(since[len(since)-1].at) > quiet && len(w.candidatesOf(in)) == 1
		}
		w.await(Timeout+grace, func() bool { return joined() || in.ended() })
		switch own := w.candidatesOf(in); {
		case in.ended():
			w.note("it ended after the reply was lost: %s", in.how)
		case len(own) > 1:
			w.fail("%s owns %s and %s, but knows only the second: if the first is the smallest, nobody leads", in.id, own[0].Name, own[1].Name)
		case len(own) == 0:
			w.fail("%s has no znode, %s after the reply was lost", in.id, units.Took(time.Since(lost())))
		}
	},
}
