package election_test

import (
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo"
	"electop/model"
	"electop/model/doctor"
	"electop/zkwatch/admin"
	"electop/zkwatch/client"
)

// ailments are the failures that the doctor knows, each made for real, and of
// each a healthy neighbour: something like it in which nothing is wrong.
var ailments = []struct {
	id      string
	name    string // of the case, where one is not enough
	members string
	ack     bool // leaders have to acknowledge
	noted   bool // the neighbour is worth a word
	sick    func(p *patient)
	well    func(p *patient)
}{
	{
		id: "ghost-node",
		sick: func(p *patient) {
			p.prefix = strings.Repeat("0a", 16) + "-n_"
			p.queue(1)
			c, l := p.linked()
			if err := p.loseReply(c, l, func() error {
				_, err := c.Create(p.path+"/"+p.prefix, nil, ephemeralSequential, zk.WorldACL(zk.PermAll))
				return err
			}); err == nil {
				p.t.Fatal("the reply was not lost")
			}
			p.stand(c, p.path+"/"+p.prefix+"0000000001") // tries again by the same guid, and finds itself
		},
		well: func(p *patient) {
			znodes, _ := p.queue(1)
			c, l := p.linked()
			// Looks for its znode before it makes another.
			if err := p.loseReply(c, l, func() error {
				_, err := c.CreateProtectedEphemeralSequential(p.path+"/n_", nil, zk.WorldACL(zk.PermAll))
				return err
			}); err != nil {
				p.t.Fatal(err)
			}
			p.watch(c, znodes...)
		},
	},
	{
		id: "two-leaders", ack: true,
		sick: func(p *patient) {
			znodes, clients := p.queue(3)
			p.create(clients[0], patientAck, zk.FlagEphemeral)
			p.pass(time.Minute)
			p.delete(znodes[0]) // its owner leads on
		},
		well: func(p *patient) {
			znodes, clients := p.queue(3)
			p.create(clients[0], patientAck, zk.FlagEphemeral)
			p.pass(time.Minute)
			p.delete(patientAck)
			p.delete(znodes[0])
			p.create(clients[1], patientAck, zk.FlagEphemeral)
		},
	},
	{
		id: "reset-livelock",
		sick: func(p *patient) {
			// Every client starts again after each change.
			_, clients := p.queue(3)
			for i := range 60 {
				children, _, err := p.setup.Children(p.path)
				if err != nil {
					p.t.Fatal(err)
				}
				for _, c := range children {
					p.delete(p.path + "/" + c)
				}
				for j := range clients {
					p.create(clients[(i+j)%len(clients)], p.path+"/n_", ephemeralSequential)
				}
				p.pass(200 * time.Millisecond)
			}
		},
		well: func(p *patient) {
			// As much comes and goes, but behind a leader who stays.
			znodes, _ := p.queue(2)
			c := p.client()
			for range 60 {
				p.delete(p.stand(c, znodes[1]))
				p.pass(200 * time.Millisecond)
			}
		},
	},
	{
		id: "parent-vanished", name: "absent",
		sick: func(p *patient) {
			znodes, _ := p.queue(3)
			p.pass(time.Minute)
			for _, z := range znodes {
				p.delete(z)
			}
			p.delete(p.path)
		},
		well: func(p *patient) {
			_, clients := p.queue(3)
			p.pass(time.Minute)
			for _, c := range clients {
				c.Close()
			}
			p.pass(time.Minute)
			p.delete(p.path)
		},
	},
	{
		id: "parent-vanished", name: "created again",
		sick: func(p *patient) {
			znodes, _ := p.queue(3)
			p.pass(time.Minute)
			for _, z := range znodes {
				p.delete(z)
			}
			p.delete(p.path)
			p.pass(time.Second)
			p.create(p.setup, p.path, 0)
		},
		well: func(p *patient) {
			// Everybody notices and stands again.
			znodes, clients := p.queue(3)
			p.pass(time.Minute)
			for _, z := range znodes {
				p.delete(z)
			}
			p.delete(p.path)
			p.create(p.setup, p.path, 0)
			before := []string{}
			for _, c := range clients {
				before = []string{p.stand(c, before...)}
			}
		},
	},
	{
		id: "missing-watch", name: "none",
		sick: func(p *patient) {
			p.queue(2)
			p.stand(p.client())
		},
		well: func(p *patient) { p.queue(3) },
	},
	{
		id: "wrong-watch",
		sick: func(p *patient) {
			// It sets its watch too late, and does not look at the answer.
			znodes, clients := p.queue(3)
			c := p.client()
			p.stand(c)
			clients[2].Close()
			p.watch(c, znodes[2])
		},
		well: func(p *patient) {
			znodes, clients := p.queue(3)
			c := p.client()
			p.stand(c)
			clients[2].Close()
			p.watch(c, znodes[1])
		},
	},
	{
		id:   "watch-cycle",
		sick: func(p *patient) { p.locks(true) },
		well: func(p *patient) { p.locks(false) },
	},
	{
		id: "dropped-candidate",
		sick: func(p *patient) {
			znodes, _ := p.queue(2)
			c := p.client()
			p.delete(p.stand(c, znodes[1]))
			p.pass(time.Second)
			p.watch(c, p.stand(p.client(), znodes[1])) // and it waits on
		},
		well: func(p *patient) {
			// Somebody else looks on.
			p.queue(2)
			if _, _, _, err := p.client().ChildrenW(p.path); err != nil {
				p.t.Fatal(err)
			}
		},
	},
	{
		id:   "abandoned-attempt",
		sick: func(p *patient) { p.locked(12, 5*time.Second, 10*time.Minute) },
		well: func(p *patient) { p.locked(12, 5*time.Second, time.Minute) },
	},
	{
		id: "zombie-leader",
		sick: func(p *patient) {
			c, l := p.linked()
			head := p.stand(c)
			p.stand(p.client(), head)
			p.pass(time.Minute)
			l.die()
		},
		well: func(p *patient) {
			c, l := p.linked()
			head := p.stand(c)
			p.stand(p.client(), head)
			p.pass(time.Minute)
			l.cut() // it comes back
		},
	},
	{
		id: "silent-candidate",
		sick: func(p *patient) {
			head := p.stand(p.client())
			c, l := p.linked()
			p.stand(p.client(), p.stand(c, head))
			p.pass(time.Minute)
			l.die()
		},
		well: func(p *patient) {
			head := p.stand(p.client())
			c, l := p.linked()
			p.stand(c, head)
			p.pass(time.Minute)
			l.cut() // it comes back
		},
	},
	{
		id: "deleted-leader", name: "latch",
		sick: func(p *patient) {
			p.prefix = "_c_381f220e-fef5-487f-ae4f-04ac14aaed10-latch-"
			znodes, _ := p.queue(2)
			p.pass(time.Minute)
			p.delete(znodes[0])
		},
		well: func(p *patient) {
			p.prefix = "_c_381f220e-fef5-487f-ae4f-04ac14aaed10-latch-"
			_, clients := p.queue(2)
			p.pass(time.Minute)
			clients[0].Close()
		},
	},
	{
		id: "deleted-leader", name: "other clients",
		sick: func(p *patient) {
			znodes, _ := p.queue(2)
			p.delete(znodes[0]) // it may have resigned
		},
		well: func(p *patient) {
			znodes, clients := p.queue(2)
			p.delete(znodes[0])
			p.stand(clients[0], znodes[1])
		},
	},
	{
		id:   "sequence-limit",
		sick: func(p *patient) { p.numbered(2_147_483_000) },
		well: func(p *patient) { p.numbered(1_000_000) },
	},
	{
		id: "ack-disagrees", ack: true,
		sick: func(p *patient) {
			p.queue(2) // and the leader does not come to acknowledge
		},
		well: func(p *patient) {
			_, clients := p.queue(2)
			p.create(clients[0], patientAck, zk.FlagEphemeral)
		},
	},
	{
		id:   "flapping",
		sick: func(p *patient) { p.handoffs(8, 3*time.Second) },
		well: func(p *patient) { p.handoffs(8, time.Minute) },
	},
	{
		id: "herd",
		sick: func(p *patient) {
			znodes, _ := p.queue(1)
			for range 4 {
				p.stand(p.client(), znodes[0])
			}
		},
		well: func(p *patient) {
			// A leader may watch its own znode.
			znodes, clients := p.queue(5)
			p.watch(clients[0], znodes[0])
		},
	},
	{
		id: "ensemble-split", members: threeMembers,
		sick: func(p *patient) {
			p.ensemble(func(member, word, reply string) string {
				if member == "10.0.0.2:2181" {
					return strings.Replace(reply, "follower", "leader", 1)
				}
				return reply
			})
			p.queue(2)
		},
		well: func(p *patient) {
			p.ensemble(nil)
			p.queue(2)
		},
	},
	{
		id: "zxid-rollover", members: threeMembers,
		sick: func(p *patient) {
			p.ensemble(func(_, _, reply string) string { return zxid.ReplaceAllString(reply, "${1}1ffffff00") })
			p.queue(2)
		},
		well: func(p *patient) {
			p.ensemble(func(_, _, reply string) string { return zxid.ReplaceAllString(reply, "${1}7fffffff00000010") })
			p.queue(2)
		},
	},
	{
		id: "ephemerals-differ", members: threeMembers,
		sick: func(p *patient) {
			znodes, _ := p.queue(3)
			p.ensemble(func(member, word, reply string) string {
				if member == "10.0.0.3:2181" && word == "dump" {
					return strings.Replace(reply, "\t"+znodes[1]+"\n", "", 1)
				}
				return reply
			})
		},
		well: func(p *patient) {
			// A server that is behind knows less.
			znodes, _ := p.queue(3)
			p.ensemble(func(member, word, reply string) string {
				if member == "10.0.0.3:2181" {
					reply = zxid.ReplaceAllString(reply, "${1}1")
					reply = strings.Replace(reply, "\t"+znodes[1]+"\n", "", 1)
				}
				return reply
			})
		},
	},
	{
		id: "foreign-child", noted: true,
		sick: func(p *patient) {
			first := p.create(p.setup, p.path+"/n_", zk.FlagSequence) // and no ephemeral
			head := p.stand(p.client(), first)
			p.stand(p.client(), head)
		},
		well: func(p *patient) {
			p.create(p.setup, p.path+"/config", 0)
			p.queue(2)
		},
	},
}

// TestDoctorFinds makes every failure for real, and its healthy neighbour.
func TestDoctorFinds(t *testing.T) {
	for _, a := range ailments {
		members := a.members
		if members == "" {
			members = oneMember
		}
		name := a.id
		if a.name != "" {
			name += "/" + a.name
		}
		t.Run(name+"/sick", func(t *testing.T) {
			examined(t, members, a.ack, func(p *patient) {
				a.sick(p)
				fs := p.look()
				for _, f := range fs {
					if f.ID == a.id && (f.Severity != doctor.Info || a.id != "ghost-node") {
						return
					}
				}
				t.Errorf("not found, but:%s", written(fs...))
			})
		})
		t.Run(name+"/well", func(t *testing.T) {
			examined(t, members, a.ack, func(p *patient) {
				a.well(p)
				for _, f := range p.look() {
					if f.ID == a.id && !a.noted || f.Severity != doctor.Info {
						t.Errorf("found in a healthy election:%s", written(f))
					}
				}
			})
		})
	}
}

// TestDoctorIsSilentOverHandoffs asks the servers in the middle of handoffs,
// when for a moment watches are missing, the acknowledgement is another's and
// sessions have no znode.
func TestDoctorIsSilentOverHandoffs(t *testing.T) {
	examined(t, oneMember, true, func(p *patient) {
		t := p.t // of the bubble
		servers, _ := client.ParseConnectString(oneMember)
		cast := demo.NewCast(demo.Config{
			Conn: client.Config{Servers: servers, Dial: p.dial, SessionTimeout: 10 * time.Second},
			Path: p.path, Ack: patientAck, Put: func(model.Observation) {},
		})
		defer cast.Close()
		if err := cast.SpawnInOrder(t.Context(), 4); err != nil {
			t.Fatal(err)
		}
		ask := func() {
			if err := p.w.Asker().Ask(t.Context(), admin.Want{Watches: true, Sessions: true}); err != nil {
				t.Fatal(err)
			}
		}
		state := p.w.First().Feed.State
		for range 20 {
			s, err := p.w.First().Feed.Await(t.Context(), (*doctor.State).Acknowledged)
			if err != nil {
				t.Fatal(err)
			}
			if err := cast.Fault(string(s.Leader().Data.Bytes), demo.Resign, true); err != nil {
				t.Fatal(err)
			}
			ask()
			if _, err := cast.Spawn(); err != nil {
				t.Fatal(err)
			}
			for range 5 {
				ask()
				p.pass(300 * time.Millisecond)
			}
			p.pass(25 * time.Second)
		}
		n := 0
		for _, h := range state().Handoffs {
			if h.From == nil {
				continue
			}
			n++
			if h.Cause == model.CauseExpired {
				t.Errorf("handoff %d is said to be by expiry: %s", n, h.Evidence)
			}
		}
		if n != 20 {
			t.Errorf("%d handoffs, want 20", n)
		}
		if fs := p.look(); len(fs) > 0 {
			t.Errorf("found in a healthy election:%s", written(fs...))
		}
		s := state()
		for i, c := range s.Queue.All() {
			if e := s.Edge(i); i > 0 && e.State != doctor.Verified {
				t.Errorf("%s: %+v", c.Name, e)
			}
		}
	})
}
