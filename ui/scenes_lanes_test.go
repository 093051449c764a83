package ui

import (
	"time"

	"electop/model"
	"electop/model/dialect"
)

// deleted deletes a znode as the embedded server reports it: with whom it notified.
func (w *world) deleted(name string, notified ...uint64) {
	w.j.Apply(&model.Wake{At: w.now, Deleted: w.now, Znode: name, Zxid: w.zxid + 1, Notified: notified})
	w.leave(name)
}

// wrote is an attempt of the worker of a leader.
func (w *world) wrote(member, name string, token int64, refused bool) {
	w.zxid++
	w.j.Apply(&model.Write{At: w.now, Member: member, Znode: name, Token: token, Resource: model.Counter, Refused: refused, Zxid: w.zxid, Value: w.zxid & 0xff})
}

// overlapping is an election with all that lanes show: amber resigned, birch is frozen,
// its session expired, and it still believes that it leads, as its worker's writes show,
// delta was cut off for a while, and fjord came late.
func overlapping() *world {
	w := five(dialect.Election()).wait(20 * time.Second)
	w.j.Apply(&model.Rules{At: w.now, Workers: true})
	cedarZ, deltaZ := "guid-n_0000000014", "guid-n_0000000015"
	w.cast("amber", amberZ, model.Resigned, func(m *model.Member) { m.Ending = model.Resigning })
	w.deleted(amberZ, 0xa2)
	w.j.Apply(&model.Cast{At: w.now, Member: *w.members["amber"], Gone: true})
	w.wait(800*time.Millisecond).cast("birch", birchZ, model.Elected, nil)
	w.wait(1500*time.Millisecond).cast("birch", birchZ, model.Leading, nil).acked(birchZ)
	token := w.children[birchZ].Czxid
	for range 6 {
		w.wait(500*time.Millisecond).wrote("birch", birchZ, token, false)
	}
	w.cast("delta", deltaZ, model.Suspended, func(m *model.Member) { m.Fault, m.FaultAt = model.Partitioned, w.now })
	w.wait(time.Second).cast("birch", birchZ, model.Leading, func(m *model.Member) {
		m.Fault, m.FaultAt, m.ExpiresFrom = model.Frozen, w.now, w.now.Add(4*time.Second)
	})
	w.wait(time.Second).cast("delta", deltaZ, model.Waiting, func(m *model.Member) { m.Fault = model.NoFault })
	for range 3 {
		w.wait(time.Second).wrote("birch", birchZ, token, false)
	}
	w.deleted(birchZ, 0xa3)
	w.wait(300*time.Millisecond).cast("cedar", cedarZ, model.Elected, nil)
	w.wait(300*time.Millisecond).cast("cedar", cedarZ, model.Leading, nil).acked(cedarZ)
	z := w.join("guid-n_", "fjord", 0xa6)
	w.cast("fjord", z, model.Waiting, nil)
	for i := range 7 {
		w.wait(700*time.Millisecond).wrote("birch", birchZ, token, i == 5)
	}
	return w.wait(400 * time.Millisecond)
}

// strangers is an election of third-party clients with handoffs: what they believe is not
// visible, and no server reports notifications.
func strangers() *world {
	w := newWorld("/services/billing/election", nil, false).connect()
	w.read(nil, nil)
	names := []string{}
	for i, host := range []string{"billing-7f9c", "billing-b2d1", "billing-03aa", "billing-e5e0"} {
		w.wait(3 * time.Second)
		names = append(names, w.join("_c_01234567-0123-4567-89ab-0123456789ab-latch-", host, 0x51+uint64(i)))
	}
	w.wait(20 * time.Second).leave(names[0])
	w.wait(4 * time.Second).leave(names[2])
	w.wait(6 * time.Second).lose("dial tcp 10.0.0.9:2181: i/o timeout")
	w.wait(5 * time.Second).connect()
	w.read(nil, nil)
	w.wait(5 * time.Second).leave(names[1])
	return w.wait(9 * time.Second)
}

func laneScenes() map[string]func() scene {
	demo := Options{Mode: ModeDemo, Role: "observer", Cluster: "embedded 127.0.0.1:41873"}
	live := Options{Role: "observer", Cluster: "zk1:2181,zk2:2181"}
	zoom := []string{"tab", "tab", "z"}
	return map[string]func() scene{
		"lanes":        func() scene { return scene{world: overlapping(), o: demo, keys: zoom} },
		"lanes-panel":  func() scene { return scene{world: overlapping(), o: demo} },
		"lanes-others": func() scene { return scene{world: strangers(), o: live, keys: zoom} },
		"lanes-crowd":  func() scene { return scene{world: crowd(500), o: live, keys: zoom} },
		"lanes-past": func() scene {
			w, p := travelled()
			o := demo
			o.Past = p
			return scene{world: w, o: o, keys: append([]string{"p", "pgup", "+"}, zoom...), runs: true}
		},
	}
}
