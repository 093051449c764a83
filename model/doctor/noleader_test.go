package doctor_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"electop/model"
	"electop/model/doctor"
	"electop/model/internal/modeltest"
	"electop/model/phrase"
	"electop/model/session"
	"electop/model/znode"
)

func solr(t *testing.T, path string) *fixture {
	c := newFixture(t, model.Config{Path: path, AckFollows: true})
	for i := range uint64(2) {
		c.create(fmt.Sprintf("7205770053301043%d-10.0.0.%d:8983_solr-n_", i, i+1), i+1)
	}
	c.read()
	return c
}

func (c *fixture) acknowledge(session uint64) {
	for i, path := range c.J.State().AckPaths {
		a := &model.Ack{At: c.Tree.Now, Path: path, Presence: model.Absent}
		if session != 0 && i == 0 {
			a.Presence, a.Session, a.Data = model.Present, session, znode.NewData([]byte(`{"id":"x"}`))
		}
		c.apply(a)
	}
}

func TestSolrLeaderMustAcknowledge(t *testing.T) {
	for path, x := range map[string]struct {
		ack      string
		takeover time.Duration
	}{
		"/overseer_elect/election":                           {"/overseer_elect/leader", 30 * time.Second},
		"/collections/books/leader_elect/shard1/election":    {"/collections/books/leaders/shard1/leader", 4 * time.Minute},
		"/solr/collections/a/leader_elect/shard2_0/election": {"/solr/collections/a/leaders/shard2_0/leader", 4 * time.Minute},
	} {
		c := solr(t, path)
		if ack := c.J.State().Ack.Path; ack != x.ack {
			t.Fatalf("%s: acknowledgement at %q, want %q", path, ack, x.ack)
		}
		c.wantLeader(1, "") // not read yet
		c.acknowledge(0)
		c.wantLeader(0, model.NotAcknowledged)
		c.after(x.takeover - time.Second)
		c.after(2*time.Second, "no-leader critical")
		c.acknowledge(1)
		c.after(time.Second)
		c.wantLeader(1, "")
		c.acknowledge(2)
		c.wantLeader(0, model.OtherAcknowledged)
		c.after(time.Minute, "two-leaders critical")
	}
}

func TestDataOfSolrLeaderZnodeDecidesWhoAcknowledged(t *testing.T) {
	for _, owner := range []uint64{2, 9} {
		c := solr(t, "/overseer_elect/election")
		ackWithID := func(name string) *model.Ack {
			return &model.Ack{At: c.Tree.Now, Presence: model.Present, Session: owner, Data: znode.NewData([]byte(`{"id":"` + name + `"}`))}
		}
		c.apply(ackWithID(c.J.State().First().Name))
		c.wantLeader(1, "")
		if lead := c.J.State().Lead(); lead != doctor.Leads {
			t.Errorf("got lead %q, want leads", lead)
		}
		c.after(time.Minute, "ack-disagrees warning")
		c.apply(ackWithID("72057700533010439-10.0.0.9:8983_solr-n_0000000009"))
		c.wantLeader(0, model.OtherAcknowledged)
		c.after(time.Minute, "two-leaders critical")
	}
}

func TestMissingAckOfThirdPartyIsInfo(t *testing.T) {
	c := newFixture(t, model.Config{AckPath: "/e-leader", AckFollows: true})
	ours := c.create(modeltest.Hex1+"-n_", 1)
	c.join(modeltest.Hex2+"-n_", 2)
	member := model.Member{ID: "a", Name: "amber", Session: 1, Znode: ours, Belief: model.Leading}
	c.apply(&model.Cast{At: c.Tree.Now, Member: member})
	c.apply(ackOf(c, ours, 1))
	c.after(time.Minute)
	c.apply(&model.Ack{At: c.Tree.Now, Presence: model.Absent})
	c.after(10*time.Second, "ack-disagrees warning")
	c.apply(ackOf(c, ours, 1))
	c.after(time.Second)
	c.leave(ours)
	c.apply(&model.Cast{At: c.Tree.Now, Member: member, Gone: true})
	c.apply(&model.Ack{At: c.Tree.Now, Presence: model.Absent})
	c.after(10*time.Second, "ack-disagrees info")
	if f := c.J.State().Findings[0]; strings.Contains(f.Advice, "estart") {
		t.Errorf("advice %q, want no restart of a third-party candidate", f.Advice)
	}
}

func TestKazooLockWaitsForCuratorChild(t *testing.T) {
	c := newFixture(t, model.Config{})
	other := c.create("_c_"+modeltest.UUID1+"-lock-", 1)
	c.create(modeltest.Hex1+"__lock__", 2)
	c.join(modeltest.Hex2+"__lock__", 3)
	c.wantLeader(0, model.MixedClients)
	c.answer(func(x *session.Table) {
		x.Servers[0].Watched = append(x.Servers[0].Watched, session.Watch{Path: "/e/" + other, Sessions: []uint64{2}})
	})
	c.wantLeader(0, model.WatchesLower)
	if w := c.J.State().WaitsFor; w == nil || w.Name != other {
		t.Errorf("WaitsFor = %v, want %s", w, other)
	}
	c.leave(other)
	c.wantLeader(2, "")
}

func TestOneOfSeveralAcknowledgementsSuffices(t *testing.T) {
	for name, x := range map[string]struct {
		path, stem string
		acks       int
	}{
		"Flink":  {"/flink/default/leader/latch", "_c_381f220e-fef5-487f-ae4f-04ac14aaed1%d-latch-", 3},
		"Solr 4": {"/collections/a/leader_elect/shard1/election", "7205770053301043%d-10.0.0.1:8983_solr-n_", 2},
	} {
		for i := range x.acks {
			c := newFixture(t, model.Config{Path: x.path, AckFollows: true})
			for n := range uint64(2) {
				c.create(fmt.Sprintf(x.stem, n), n+1)
			}
			c.read()
			paths := c.J.State().AckPaths
			if len(paths) != x.acks {
				t.Fatalf("%s: acknowledgements %q, want %d", name, paths, x.acks)
			}
			put := func(at int, presence model.Presence, session uint64) {
				c.apply(&model.Ack{At: c.Tree.Now, Path: paths[at], Presence: presence, Session: session})
			}
			for n := range paths {
				c.wantLeader(1, "")
				put(n, model.Absent, 0)
			}
			c.wantLeader(0, model.NotAcknowledged)
			put(i, model.Present, 1)
			c.wantLeader(1, "")
			if at := c.J.State().Ack.Path; at != paths[i] {
				t.Errorf("%s: acknowledged at %s, want %s", name, at, paths[i])
			}
			put((i+1)%x.acks, model.Present, 2)
			c.wantLeader(1, "")
			put(i, model.Absent, 0)
			c.wantLeader(0, model.OtherAcknowledged)
			if by := c.J.State().AcknowledgedBy; by != 2 {
				t.Errorf("%s: AcknowledgedBy = %d, want 2", name, by)
			}
		}
	}
}

func TestAcknowledgementChild(t *testing.T) {
	c := newFixture(t, model.Config{Path: "/aurora/scheduler"})
	stem := "_c_381f220e-fef5-487f-ae4f-04ac14aaed1%d-lock-"
	c.create(fmt.Sprintf(stem, 1), 1)
	c.join(fmt.Sprintf(stem, 2), 2)
	c.wantLeader(0, model.NotAcknowledged)
	c.after(6*time.Minute, "no-leader critical")
	other := c.join("member_", 2)
	c.wantLeader(0, model.OtherAcknowledged)
	c.Tree.Delete(other)
	c.join("member_", 1)
	c.wantLeader(1, "")
	c.after(time.Second)
}

func TestAcknowledgementByBreadCrumb(t *testing.T) {
	c := newFixture(t, model.Config{Path: "/hadoop-ha/ns/ActiveStandbyElectorLock", AckFollows: true})
	lock := func(data string) znode.Znode {
		return znode.Znode{Name: "/hadoop-ha/ns/ActiveStandbyElectorLock", Session: 9, Czxid: 99, Data: znode.NewData([]byte(data))}
	}
	crumb := func(data string) {
		a := &model.Ack{At: c.Tree.Now, Path: "/hadoop-ha/ns/ActiveBreadCrumb", Presence: model.Absent}
		if data != "" {
			a.Presence, a.Data = model.Present, znode.NewData([]byte(data))
		}
		c.apply(a)
	}
	c.readSingle(lock("nn2"))
	crumb("nn1")
	c.wantLeader(0, model.NotAcknowledged)
	c.after(2*time.Minute, "no-leader critical")
	crumb("")
	c.after(time.Second, "no-leader critical")
	crumb("nn2")
	c.after(time.Second)
	c.wantLeader(9, "")
	long := strings.Repeat("x", znode.DataMax+1)
	c.readSingle(lock(long))
	crumb(long)
	c.wantLeader(9, "") // electop keeps only a part of the data, so it cannot compare the two znodes
}

func TestReignBeginsWithAcknowledgement(t *testing.T) {
	c := newFixture(t, model.Config{Path: "/overseer_elect/election", AckFollows: true})
	first := c.create("72057700533010430-10.0.0.1:8983_solr-n_", 1)
	c.join("72057700533010431-10.0.0.2:8983_solr-n_", 2)
	c.acknowledge(1)
	if r := c.J.State().Reigns; len(r) != 1 || r[0].Leader.Session != 1 || !r[0].To.IsZero() {
		t.Fatalf("got reigns %+v, want one of session 1 without an end", r)
	}
	c.pass(10 * time.Second)
	before := c.J.State().Totals
	c.Tree.Delete(first)
	gone := c.Tree.Now
	c.read()
	c.acknowledge(0)
	if r := c.J.State().Reigns; len(r) != 1 || !r[0].To.Equal(gone) {
		t.Errorf("got reigns %+v before the second acknowledgement, want one that ended at %v", r, gone)
	}
	c.pass(20 * time.Second)
	acked := c.Tree.Now
	c.acknowledge(2)
	r := c.J.State().Reigns
	if len(r) != 2 || r[1].Leader.Session != 2 || !r[1].From.Equal(acked) {
		t.Errorf("got reigns %+v, want a second one, of session 2, from %v on", r, acked)
	}
	c.pass(5 * time.Second)
	after := c.J.State().Totals
	if led, vacant := after.Led-before.Led, after.Vacant-before.Vacant; led != 5*time.Second || vacant != 20*time.Second {
		t.Errorf("somebody led for %v, nobody for %v; want 5s, 20s", led, vacant)
	}
	if p := c.J.State().Properties; p.LongestVacancy != 20*time.Second {
		t.Errorf("longest vacancy %v, want 20s", p.LongestVacancy)
	}
}

// readDirectory reads children. A name that ends in a slash is a persistent znode.
func (c *fixture) readDirectory(path string, names ...string) {
	d := &model.Directory{At: c.Tree.Now, Path: path, Presence: model.Present}
	for i, name := range names {
		z := znode.Znode{Name: strings.TrimSuffix(name, "/"), Session: uint64(100 + i), Czxid: int64(10 + i), Ctime: c.Tree.Now.Add(-time.Hour)}
		if z.Name != name {
			z.Session = 0
		}
		d.Names, d.Children = append(d.Names, z.Name), append(d.Children, z)
		d.Parent.Pzxid = z.Czxid
	}
	slices.Sort(d.Names)
	d.Parent.Children = int32(len(names))
	c.apply(d)
}

func (c *fixture) readSingle(z ...znode.Znode) {
	c.apply(&model.Read{At: c.Tree.Now, Presence: model.Present, Single: true, New: z})
}

func TestVacant(t *testing.T) {
	for name, x := range map[string]struct {
		path   string
		beside map[string][]string
		could  string
		want   string // the finding after 80 seconds
	}{
		"kafka": {"/k/controller", map[string][]string{"/k": {"brokers/", "controller_epoch/"}, "/k/brokers/ids": {"1", "2"}},
			"could lead: broker 1, broker 2", "no-leader critical"},
		"kafka, no broker": {"/k/controller", map[string][]string{"/k": {"brokers/", "controller_epoch/"}, "/k/brokers/ids": {}},
			"nobody who could lead is listed", "no-leader info"},
		"hbase": {"/h/master", map[string][]string{"/h": {"hbaseid/", "rs/", "backup-masters/", "running/"}, "/h/backup-masters": {"m2,16000,1795187633402"}, "/h/rs": {}},
			"could lead: m2:16000", "no-leader critical"},
		"hbase, region servers only": {"/h/master", map[string][]string{"/h": {"hbaseid/", "rs/", "backup-masters/", "running/"}, "/h/backup-masters": {}, "/h/rs": {"rs1,16020,1795187633402"}},
			"nobody who could lead is listed", "no-leader critical"},
		"hbase, shut down": {"/h/master", map[string][]string{"/h": {"hbaseid/", "rs/", "backup-masters/"}, "/h/backup-masters": {}, "/h/rs": {}},
			"nobody who could lead is listed", "no-leader info"},
		"hadoop": {"/hadoop-ha/ns/ActiveStandbyElectorLock", map[string][]string{"/hadoop-ha/ns": {"ActiveBreadCrumb/"}},
			"who could lead is not visible", "no-leader critical"},
		"hadoop, nothing": {"/hadoop-ha/ns/ActiveStandbyElectorLock", map[string][]string{"/hadoop-ha/ns": {}},
			"who could lead is not visible", "no-leader info"},
		"patroni": {"/any/batman/leader", map[string][]string{"/any/batman": {"members/", "config/"}, "/any/batman/members": {"pg1"}},
			"could lead: pg1", "no-leader critical"},
		"helix": {"/c/CONTROLLER/LEADER", map[string][]string{"/c/CONTROLLER": {"MESSAGES/", "STATUSUPDATES/"}, "/c/LIVEINSTANCES": {"server_1"}},
			"nobody who could lead is listed", "no-leader critical"},
		"nothing known": {"/x/leader", map[string][]string{"/x": {"config/"}}, "who could lead is not visible", "no-leader info"},
	} {
		t.Run(name, func(t *testing.T) {
			c := newFixture(t, model.Config{Path: x.path, Found: true, AckFollows: true})
			c.readSingle()
			for path, names := range x.beside {
				c.readDirectory(path, names...)
			}
			for _, path := range c.J.State().Around() {
				if c.J.State().Directories[path] == nil {
					t.Errorf("electop reads %s, but the test does not know its children", path)
				}
			}
			could := c.J.State().Standbys()
			if got := doctor.Could("lead", could); got != x.could {
				t.Errorf("Could = %q, want %q", got, x.could)
			}
			c.after(20 * time.Second)
			c.after(time.Minute, x.want)
			for _, f := range c.J.State().Findings {
				if strings.Contains(f.Advice, "log of one of those") && len(could.Names) == 0 && could.Listed {
					t.Errorf("got the advice %q, though nobody is listed", f.Advice)
				}
			}
		})
	}
}

func TestProgramsMayRunIfTheirDirectoryIsDenied(t *testing.T) {
	c := newFixture(t, model.Config{Path: "/overseer_elect/election", AckFollows: true})
	c.read()
	for presence, want := range map[model.Presence]bool{model.Denied: false, model.Absent: true} {
		c.apply(&model.Directory{At: c.Tree.Now, Path: "/live_nodes", Presence: presence})
		if got := c.J.State().Standbys().Gone; got != want {
			t.Errorf("/live_nodes %s: got Gone %t, want %t", presence, got, want)
		}
	}
	c.apply(&model.Directory{At: c.Tree.Now, Path: "/live_nodes", Presence: model.Present, Parent: znode.Parent{Children: 5000}})
	could := c.J.State().Standbys()
	if got := doctor.Could("lead", could); could.Gone || !strings.Contains(got, "5000 programs that were not read") {
		t.Errorf("5000 names were not read: got Gone %t, %q; want false, and their number", could.Gone, got)
	}
}

func TestVacantWhilePatroniIsPaused(t *testing.T) {
	c := newFixture(t, model.Config{Path: "/db/batman/leader"})
	c.readSingle()
	c.readDirectory("/db/batman", "members/", "config/")
	c.apply(&model.Directory{At: c.Tree.Now, Path: "/db/batman/members", Presence: model.Present, Names: []string{"pg1", "pg2"}, Children: []znode.Znode{
		{Name: "pg1", Session: 7, Data: znode.NewData([]byte(`{"pause":true}`))},
		{Name: "pg2", Session: 8, Data: znode.NewData([]byte(`{"pause":true,"tags":{"nofailover":true}}`))},
	}})
	if could := c.J.State().Standbys(); could.Off == "" || !slices.Equal(could.Names, []string{"pg1"}) {
		t.Errorf("Standbys() = %+v, want only pg1, and a reason why it may not take over", could)
	}
	c.after(2*time.Minute, "no-leader warning")
}

func TestVacantSince(t *testing.T) {
	c := newFixture(t, model.Config{Path: "/k/controller"})
	found := c.Tree.Now
	c.readSingle()
	wantVacancy := func(since time.Time, known model.VacancyKnown) {
		t.Helper()
		v, ok := c.J.State().Vacancy()
		if !ok || v.Known != known || !v.Since.Equal(since) {
			t.Errorf("vacancy since %v (%q, %v), want %v (%q)", v.Since, v.Known, ok, since, known)
		}
	}
	wantVacancy(found, model.VacancyFound)
	c.readDirectory("/k", "brokers/", "controller_epoch/")
	wantVacancy(found.Add(-time.Hour), model.VacancyByZnodes)

	c.pass(10 * time.Second)
	c.readSingle(znode.Znode{Name: "/k/controller", Session: 9, Czxid: 99, Ctime: c.Tree.Now, Data: znode.NewData([]byte(`{"version":1,"brokerid":1}`))})
	if _, ok := c.J.State().Vacancy(); ok || c.J.State().Leader() == nil {
		t.Error("got a vacancy or no leader, want broker 1 as the leader")
	}
	c.pass(10 * time.Second)
	gone := c.Tree.Now
	c.apply(&model.Read{At: gone, Notified: gone, Presence: model.Present, Single: true})
	wantVacancy(gone, model.VacancyWatched)
	// A notification while the znode is absent shows that the znode was created and deleted.
	c.pass(10 * time.Second)
	again := c.Tree.Now
	c.apply(&model.Read{At: again, Notified: again, Presence: model.Present, Single: true})
	if v, _ := c.J.State().Vacancy(); v.Known == model.VacancyWatched {
		t.Errorf("got vacancy %+v, though a leader existed after its beginning", v)
	}
}

func TestLeaderMember(t *testing.T) {
	for name, x := range map[string]struct{ leader, state, could, want string }{
		"healthy":   {"pg1", "running", "could take over: pg2 (streaming); could not: pg3 (crashed), pg4 (nofailover)", ""},
		"restarts":  {"pg1", "restarting", "could take over: pg2 (streaming); could not: pg3 (crashed), pg4 (nofailover)", ""},
		"stopped":   {"pg1", "stopped", "could take over: pg2 (streaming); could not: pg3 (crashed), pg4 (nofailover)", "leader-member critical"},
		"no member": {"pg9", "stopped", "could take over: pg2 (streaming); could not: pg1 (stopped), pg3 (crashed), pg4 (nofailover)", "leader-member critical"},
	} {
		t.Run(name, func(t *testing.T) {
			c := newFixture(t, model.Config{Path: "/db/batman/leader"})
			c.readSingle(znode.Znode{Name: "/db/batman/leader", Session: 1, Czxid: 9, Data: znode.NewData([]byte(x.leader))})
			c.readDirectory("/db/batman", "members/", "config/")
			d := &model.Directory{At: c.Tree.Now, Path: "/db/batman/members", Presence: model.Present}
			for i, data := range []string{
				`{"state":"` + x.state + `"}`, `{"state":"streaming"}`, `{"state":"crashed"}`, `{"state":"streaming","tags":{"nofailover":true}}`,
			} {
				d.Names = append(d.Names, fmt.Sprintf("pg%d", i+1))
				d.Children = append(d.Children, znode.Znode{Name: d.Names[i], Session: uint64(i + 1), Data: znode.NewData([]byte(data))})
			}
			c.apply(d)
			if got := doctor.Could("take over", c.J.State().Standbys()); got != x.could {
				t.Errorf("Could = %q, want %q", got, x.could)
			}
			c.after(time.Second, slices.DeleteFunc([]string{x.want}, func(s string) bool { return s == "" })...)
			// The leader's znode is now newer than the list of members.
			c.readSingle(znode.Znode{Name: "/db/batman/leader", Session: 5, Czxid: 10, Data: znode.NewData([]byte("pg5"))})
			c.after(0)
		})
	}
}

func TestVacantWithoutWatchers(t *testing.T) {
	const lock = "/hadoop-ha/ns/ActiveStandbyElectorLock"
	c := newFixture(t, model.Config{Path: lock, Found: true, AckFollows: true})
	c.readSingle()
	c.readDirectory("/hadoop-ha/ns", "ActiveBreadCrumb/")
	c.answer(nil)
	if got := doctor.Could("lead", c.J.State().Standbys()); got != "who could lead is not visible" {
		t.Errorf("Could = %q, want that it is not visible", got)
	}
	c.after(20 * time.Second)
	c.after(time.Minute, "no-leader critical")
}

func agree(t interface {
	Helper()
	Fatalf(string, ...any)
}, s *doctor.State) string {
	t.Helper()
	lead, first := s.Lead(), s.First()
	why, limit := phrase.NoLeader(s).Sentence, phrase.Lead(s)
	if nobody := s.Leader() == nil; nobody != (lead == "") || nobody != (why != "") {
		t.Fatalf("leader %v, lead %q, reason for no leader %q; want a reason only without a leader", s.Leader(), lead, why)
	}
	if limited := lead != "" && lead != doctor.Leads; limited != (limit.Sentence != "") || limited != (limit.Row != "") || limited != (limit.Cell != "") {
		t.Fatalf("lead %q, words %+v; want words only if something limits the lead", lead, limit)
	}
	if text, well := phrase.NothingFound(s); limit.Severity != "" && (well || strings.Contains(text, "Nothing found")) {
		t.Fatalf("lead %q: got %q, want no word that all is well", lead, text)
	}
	if first == nil || lead != doctor.Leads {
		return string(lead)
	}
	m := s.Member(first)
	foreign := s.Dialect != nil && s.Dialect.Foreign()
	switch {
	case m != nil && (m.Fault != model.NoFault || m.Belief == model.Waiting || m.Belief == model.Lost || m.Belief == model.Suspended):
		t.Fatalf("%s leads with the fault %q and the belief %s", m.ID, m.Fault, m.Belief)
	case !foreign && s.Ack.Path != "" && !s.Ack.Names(first) && s.Ack.Presence != model.Denied, s.Risk(first) != nil:
		t.Fatalf("%s leads, but has not acknowledged or is at risk (%v)", first.Label(), s.Risk(first))
	}
	return string(lead)
}

func drawMember(t *rapid.T, s *doctor.State) *model.Cast {
	m := model.Member{ID: "drawn", Name: "drawn", Recipe: "election", Session: s.First().Session, Znode: s.First().Name, Timeout: 4 * time.Second}
	for _, c := range s.Queue.All() {
		if c.Session == m.Session && rapid.Bool().Draw(t, "it uses this znode") {
			m.Znode = c.Name
		}
	}
	m.Belief = rapid.SampledFrom([]model.Belief{
		model.Leading, model.Elected, model.Waiting, model.Volunteering, model.Suspended, model.Resigned, model.Lost,
	}).Draw(t, "belief")
	if rapid.IntRange(0, 3).Draw(t, "fault") == 0 {
		m.Fault, m.FaultAt = rapid.SampledFrom([]model.Fault{model.Killed, model.Frozen, model.Partitioned}).Draw(t, "which"), s.At
	}
	m.Ending = rapid.SampledFrom([]model.Ending{model.NoEnding, model.NoEnding, model.Resigning, model.Closing}).Draw(t, "ending")
	m.SlowLead = rapid.Bool().Draw(t, "slow")
	return &model.Cast{At: s.At, Member: m}
}

func TestWordsAgreeWithLead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg, all := modeltest.DrawPast(t)
		j := doctor.NewJournal(cfg)
		check := func() bool {
			s := j.State()
			if s.Phase != model.Live || s.Queue.Len() == 0 {
				return false
			}
			agree(t, s)
			return true
		}
		for _, o := range all {
			j.Apply(o)
			if !check() || rapid.IntRange(0, 2).Draw(t, "member") > 0 {
				continue
			}
			s := j.State()
			if first := s.First(); first.Session != 0 {
				j.Apply(drawMember(t, s))
				check()
				if rapid.Bool().Draw(t, "acknowledges") {
					j.Apply(&model.Ack{At: s.At, Presence: model.Present, Session: first.Session, Czxid: first.Czxid + 1})
					check()
				}
			}
		}
	})
}

func TestEachLead(t *testing.T) {
	at := time.Date(2026, time.March, 14, 12, 0, 0, 0, time.UTC)
	first := znode.Znode{Name: "n_0000000001", Session: 1, Czxid: 11, Ctime: at, Data: znode.NewData([]byte("amber"))}
	second := znode.Znode{Name: "n_0000000002", Session: 2, Czxid: 12, Ctime: at, Data: znode.NewData([]byte("birch"))}
	rejoined := znode.Znode{Name: "n_0000000002", Session: 1, Czxid: 12, Ctime: at, Data: znode.NewData([]byte("amber"))}
	amber := func(change func(*model.Member)) model.Observation {
		m := model.Member{ID: "amber", Name: "amber", Recipe: "election", Belief: model.Leading, Session: 1, Znode: first.Name, Timeout: 4 * time.Second}
		if change != nil {
			change(&m)
		}
		return &model.Cast{At: at, Member: m}
	}
	believes := func(b model.Belief) model.Observation { return amber(func(m *model.Member) { m.Belief = b }) }
	acked := &model.Ack{At: at, Presence: model.Present, Session: 1, Czxid: 13}
	silent := func(after time.Duration) model.Observation {
		now := at.Add(after)
		ok := session.Answer{State: session.Answered, Via: "http", At: now}
		return &session.Table{At: now, End: now, Whole: true, Every: time.Second, Servers: []session.Server{{
			Addr: "s0:2181", Mode: session.ModeStandalone, Basic: ok, Connections: ok, Sessions: ok, Watches: ok, Tick: 2 * time.Second,
			Clients:   []session.Client{{Session: 1, Addr: "10.0.0.1:1", Timeout: 6 * time.Second, LastResponse: time.Hour, Received: 3}},
			Deadlines: []session.Deadline{{Session: 1, At: time.Hour + 6*time.Second}},
		}}}
	}
	for _, c := range []struct {
		name string
		want string
		also znode.Znode
		then []model.Observation
	}{
		{"acknowledged", "leads", second, []model.Observation{amber(nil), acked}},
		{"third-party, acknowledged", "leads", second, []model.Observation{acked}},
		{"not acknowledged", "elected", second, []model.Observation{believes(model.Elected)}},
		{"acknowledged, does not know it", "elected", second, []model.Observation{believes(model.Elected), acked}},
		{"third-party, not acknowledged", "elected", second, nil},
		{"its procedure does not end", "elected", second, []model.Observation{amber(func(m *model.Member) { m.Belief, m.SlowLead = model.Elected, true })}},
		{"still waits", "unaware", second, []model.Observation{believes(model.Waiting)}},
		{"no connection", "suspended", second, []model.Observation{acked, believes(model.Suspended)}},
		{"resigns", "ending", second, []model.Observation{acked, amber(func(m *model.Member) { m.Ending = model.Resigning })}},
		{"lost its candidacy", "stopped", second, []model.Observation{acked, believes(model.Lost)}},
		{"deleted, not read yet", "deleted", second, []model.Observation{acked, &model.DeletionReport{At: at, Deleted: at, Znode: first.Name, Zxid: 20}}},
		{"killed", "faulty", second, []model.Observation{acked, amber(func(m *model.Member) { m.Fault, m.FaultAt, m.Belief = model.Killed, at, model.Suspended })}},
		{"frozen", "faulty", second, []model.Observation{acked, amber(func(m *model.Member) { m.Fault, m.FaultAt = model.Frozen, at })}},
		{"cut off", "faulty", second, []model.Observation{acked, amber(func(m *model.Member) { m.Fault, m.FaultAt = model.Partitioned, at })}},
		{"silent", "at-risk", second, []model.Observation{acked, silent(0), silent(time.Second), silent(2 * time.Second), silent(3 * time.Second), silent(4 * time.Second)}},
		{"the first is a ghost", "", rejoined, []model.Observation{acked, amber(func(m *model.Member) { m.Znode, m.Belief = rejoined.Name, model.Waiting })}},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := doctor.NewJournal(modeltest.Acked)
			j.Apply(&model.Connection{At: at, Link: model.Connected, Session: 9})
			j.Apply(&model.Read{At: at, Presence: model.Present, Full: true, New: []znode.Znode{first, c.also}, Parent: znode.Parent{Czxid: 7, Children: 2, Cversion: 2}})
			for _, o := range c.then {
				j.Apply(o)
			}
			if got := agree(t, j.State()); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestDelayAloneIsNoWarning(t *testing.T) {
	at := time.Date(2026, time.March, 14, 12, 0, 0, 0, time.UTC)
	all := []znode.Znode{{Name: "n_0000000001", Session: 1, Czxid: 11, Ctime: at}, {Name: "n_0000000002", Session: 2, Czxid: 12, Ctime: at}}
	for _, c := range []struct {
		belief model.Belief
		slow   bool
		delay  time.Duration
		want   doctor.Severity
	}{
		{model.Waiting, false, time.Second, ""}, {model.Elected, false, time.Second, ""}, {model.Elected, true, time.Second, doctor.Warning},
		{model.Waiting, false, 0, doctor.Warning}, {model.Elected, false, 0, doctor.Warning},
	} {
		j := doctor.NewJournal(modeltest.Acked)
		j.Apply(&model.Connection{At: at, Link: model.Connected, Session: 9})
		j.Apply(&model.Read{At: at, Presence: model.Present, Full: true, New: all, Parent: znode.Parent{Czxid: 7, Children: 2, Cversion: 2}})
		j.Apply(&model.Ack{At: at, Presence: model.Absent})
		j.Apply(&model.Cast{At: at, Member: model.Member{ID: "a", Name: "a", Session: 1, Znode: all[0].Name, Belief: c.belief, SlowLead: c.slow}})
		j.Apply(&model.Pace{At: at, Delay: c.delay})
		if e := phrase.Lead(j.State()); e.Sentence == "" || e.Severity != c.want {
			t.Errorf("%+v: got %+v, want severity %q", c, e, c.want)
		}
	}
}

func TestEpochJump(t *testing.T) {
	for name, lost := range map[string]bool{"observed": false, "after a lost connection": true} {
		t.Run(name, func(t *testing.T) {
			c := newFixture(t, model.Config{Path: "/controller", AckFollows: true})
			c.readSingle(znode.Znode{Name: "/controller", Session: 9, Czxid: 99, Data: znode.NewData([]byte(`{"version":1,"brokerid":1}`))})
			epoch := func(n string) {
				c.apply(&model.Ack{At: c.Tree.Now, Path: "/controller_epoch", Presence: model.Present, Data: znode.NewData([]byte(n))})
			}
			epoch("5")
			if lost {
				c.apply(&model.Connection{At: c.Tree.Now, Link: model.Disconnected})
				c.apply(&model.Connection{At: c.Tree.Now, Link: model.Connected})
			}
			epoch("9")
			c.J.RunRules()
			var found []string
			for _, f := range c.J.State().Findings {
				found = append(found, f.ID)
			}
			if slices.Contains(found, "epoch-jump") == lost {
				t.Errorf("lost connection %t: got findings %q, want epoch-jump: %t", lost, found, !lost)
			}
		})
	}
}
