package demo

import (
	"context"
	"strings"
	"time"

	"electop/demo/zkserver"
	"electop/model"
	"electop/model/znode"
	"electop/zkwatch/wire"
)

// tallied passes on what a deletion caused. It is called under the server's
// lock.
func (s *Stage) tallied(t zkserver.Tally) {
	notified := make([]uint64, len(t.Notified))
	for i, id := range t.Notified {
		notified[i] = uint64(id)
	}
	s.cfg.Put(&model.Wake{
		At: s.cfg.Now(), Deleted: utc(t.At), Znode: znode.Base(t.Path), Zxid: t.Zxid, Notified: notified,
		Requests: t.Requests, BytesIn: t.BytesIn, BytesOut: t.BytesOut, Settled: t.Settled,
	})
}

// paceEvery is how often what is held is passed on at most: more than a screen
// shows, and few lines of a recording.
const paceEvery = 20 * time.Millisecond

// watchPace passes on how slowly the server speaks, what it holds and what it no longer
// holds: a change at once, and those soon after it as one. The last is never left out.
func (s *Stage) watchPace(ctx context.Context) {
	rest := time.NewTimer(paceEvery)
	defer rest.Stop()
	for {
		s.putPace()
		rest.Reset(paceEvery)
		select {
		case <-rest.C:
		case <-ctx.Done():
		}
		select {
		case <-s.cfg.Server.PaceChanged():
		case <-ctx.Done():
			s.putPace()
			return
		}
	}
}

func (s *Stage) putPace() {
	b := s.cfg.Server.TakeBacklog(model.MessagesMax)
	o := &model.Pace{At: s.cfg.Now(), Delay: b.Pace.Delay, Steps: b.Pace.Steps, Waiting: b.Waiting, Unlisted: b.Unlisted}
	for _, m := range b.Held {
		o.Held = append(o.Held, message(m))
	}
	for _, m := range b.Passed {
		o.Passed = append(o.Passed, model.Passed{Message: message(m.Paced), Left: utc(m.Left), Dropped: m.Lost})
	}
	s.cfg.Put(o)
}

// message is what is on its way, in the words of ZooKeeper's documentation.
func message(m zkserver.Paced) model.Message {
	out := model.Message{Session: uint64(m.Session), N: m.N, Since: utc(m.Since), Op: opWord(m.Op), Path: znode.Safe(m.Path, 0)}
	if m.Op == wire.OpNotification {
		out.Event = eventWord(m.Event)
	}
	if m.Err != wire.OK {
		out.Err = errWord(m.Err)
	}
	return out
}

// opWord names an operation without the number of its version.
func opWord(op wire.Op) string {
	switch op {
	case wire.OpCreate2:
		op = wire.OpCreate
	case wire.OpGetChildren2:
		op = wire.OpGetChildren
	case wire.OpSetWatches2:
		op = wire.OpSetWatches
	}
	return op.String()
}

func eventWord(event int32) string {
	switch event {
	case wire.EventNodeCreated:
		return "created"
	case wire.EventNodeDeleted:
		return "deleted"
	case wire.EventNodeDataChanged:
		return "changed"
	case wire.EventNodeChildrenChanged:
		return "children"
	}
	return ""
}

// errWord is the name of an error: "NoNode".
func errWord(c wire.Code) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(c.Error(), "zookeeper: "), " ")
	return name
}
