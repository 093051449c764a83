package doctor_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/model/session"
	"electop/model/znode"
)

// beside puts a read of a directory with ephemeral znodes, and persistent ones for
// names with a slash behind.
func (c *clinic) beside(path string, names ...string) {
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
	c.put(d)
}

func (c *clinic) single(z ...znode.Znode) {
	c.put(&model.Read{At: c.Tree.Now, Presence: model.Present, Single: true, New: z})
}

// Systems whose leader has its own znode: nobody leads while it is absent. Whether
// that is trouble depends on who is there.
func TestVacant(t *testing.T) {
	for name, x := range map[string]struct {
		path   string
		beside map[string][]string
		could  string
		want   string // the finding after a minute, "" for none
	}{
		"kafka": {"/k/controller", map[string][]string{"/k": {"brokers/", "controller_epoch/"}, "/k/brokers/ids": {"1", "2"}},
			"could lead: broker 1, broker 2", "no-leader critical"},
		"kafka, no broker": {"/k/controller", map[string][]string{"/k": {"brokers/", "controller_epoch/"}, "/k/brokers/ids": {}},
			"nobody is listed who could lead", "no-leader info"},
		"hbase": {"/h/master", map[string][]string{"/h": {"hbaseid/", "rs/", "backup-masters/", "running/"}, "/h/backup-masters": {"m2,16000,1795187633402"}, "/h/rs": {}},
			"could lead: m2:16000", "no-leader critical"},
		"hbase, region servers only": {"/h/master", map[string][]string{"/h": {"hbaseid/", "rs/", "backup-masters/", "running/"}, "/h/backup-masters": {}, "/h/rs": {"rs1,16020,1795187633402"}},
			"nobody is listed who could lead", "no-leader critical"},
		"hbase, shut down": {"/h/master", map[string][]string{"/h": {"hbaseid/", "rs/", "backup-masters/"}, "/h/backup-masters": {}, "/h/rs": {}},
			"nobody is listed who could lead", "no-leader info"},
		"hadoop": {"/hadoop-ha/ns/ActiveStandbyElectorLock", map[string][]string{"/hadoop-ha/ns": {"ActiveBreadCrumb/"}},
			"who could lead is not visible", "no-leader critical"},
		"hadoop, nothing": {"/hadoop-ha/ns/ActiveStandbyElectorLock", map[string][]string{"/hadoop-ha/ns": {}},
			"who could lead is not visible", "no-leader info"},
		"patroni": {"/any/batman/leader", map[string][]string{"/any/batman": {"members/", "config/"}, "/any/batman/members": {"pg1"}},
			"could lead: pg1", "no-leader critical"},
		"helix": {"/c/CONTROLLER/LEADER", map[string][]string{"/c/CONTROLLER": {"MESSAGES/", "STATUSUPDATES/"}, "/c/LIVEINSTANCES": {"server_1"}},
			"nobody is listed who could lead", "no-leader critical"},
		"nothing known": {"/x/leader", map[string][]string{"/x": {"config/"}}, "who could lead is not visible", "no-leader info"},
	} {
		t.Run(name, func(t *testing.T) {
			c := newClinic(t, model.Config{Path: x.path, Found: true, AckFollows: true})
			c.single()
			for path, names := range x.beside {
				c.beside(path, names...)
			}
			for _, path := range c.J.State().Around() {
				if c.J.State().Directories[path] == nil {
					t.Errorf("%s was not expected", path)
				}
			}
			could := c.J.State().Standbys()
			if got := doctor.Could("lead", could); got != x.could {
				t.Errorf("%q, want %q", got, x.could)
			}
			c.after(20 * time.Second)
			c.after(time.Minute, x.want)
			for _, f := range c.J.State().Findings {
				if strings.Contains(f.Advice, "log of one of those") && len(could.Names) == 0 && could.Listed {
					t.Errorf("nobody is listed, and the advice is: %s", f.Advice)
				}
			}
		})
	}
}

// A Patroni that is paused takes over by nobody's decision but its operator's.
func TestVacantPaused(t *testing.T) {
	c := newClinic(t, model.Config{Path: "/db/batman/leader"})
	c.single()
	c.beside("/db/batman", "members/", "config/")
	c.put(&model.Directory{At: c.Tree.Now, Path: "/db/batman/members", Presence: model.Present, Names: []string{"pg1", "pg2"}, Children: []znode.Znode{
		{Name: "pg1", Session: 7, Data: znode.NewData([]byte(`{"pause":true}`))},
		{Name: "pg2", Session: 8, Data: znode.NewData([]byte(`{"pause":true,"tags":{"nofailover":true}}`))},
	}})
	if could := c.J.State().Standbys(); could.Off == "" || !slices.Equal(could.Names, []string{"pg1"}) {
		t.Errorf("%+v", could)
	}
	c.after(2*time.Minute, "no-leader warning")
}

// Since when nobody leads: from the znodes, if electop did not see it itself.
func TestVacantSince(t *testing.T) {
	c := newClinic(t, model.Config{Path: "/k/controller"})
	found := c.Tree.Now
	c.single()
	vacancy := func(since time.Time, known model.VacancyKnown) {
		t.Helper()
		v, ok := c.J.State().Vacancy()
		if !ok || v.Known != known || !v.Since.Equal(since) {
			t.Errorf("since %v (%q, %v), want %v (%q)", v.Since, v.Known, ok, since, known)
		}
	}
	vacancy(found, model.VacancyFound)
	c.beside("/k", "brokers/", "controller_epoch/")
	vacancy(found.Add(-time.Hour), model.VacancyByZnodes)

	c.pass(10 * time.Second)
	c.single(znode.Znode{Name: "/k/controller", Session: 9, Czxid: 99, Ctime: c.Tree.Now, Data: znode.NewData([]byte(`{"version":1,"brokerid":1}`))})
	if _, ok := c.J.State().Vacancy(); ok || c.J.State().Leader() == nil {
		t.Error("broker 1 leads")
	}
	c.pass(10 * time.Second)
	gone := c.Tree.Now
	c.put(&model.Read{At: gone, Notified: gone, Presence: model.Present, Single: true})
	vacancy(gone, model.VacancyWatched)
	// A notification while it is absent: somebody came and went.
	c.pass(10 * time.Second)
	again := c.Tree.Now
	c.put(&model.Read{At: again, Notified: again, Presence: model.Present, Single: true})
	if v, _ := c.J.State().Vacancy(); v.Known == model.VacancyWatched {
		t.Errorf("%+v, though somebody led since", v)
	}
}

// A Patroni leader is a member whose PostgreSQL runs; those that could take over run too.
func TestLeaderMember(t *testing.T) {
	for name, x := range map[string]struct{ leader, state, could, want string }{
		"healthy":   {"pg1", "running", "could take over: pg2 (streaming); could not: pg3 (crashed), pg4 (nofailover)", ""},
		"restarts":  {"pg1", "restarting", "could take over: pg2 (streaming); could not: pg3 (crashed), pg4 (nofailover)", ""},
		"stopped":   {"pg1", "stopped", "could take over: pg2 (streaming); could not: pg3 (crashed), pg4 (nofailover)", "leader-member critical"},
		"no member": {"pg9", "stopped", "could take over: pg2 (streaming); could not: pg1 (stopped), pg3 (crashed), pg4 (nofailover)", "leader-member critical"},
	} {
		t.Run(name, func(t *testing.T) {
			c := newClinic(t, model.Config{Path: "/db/batman/leader"})
			c.single(znode.Znode{Name: "/db/batman/leader", Session: 1, Czxid: 9, Data: znode.NewData([]byte(x.leader))})
			c.beside("/db/batman", "members/", "config/")
			d := &model.Directory{At: c.Tree.Now, Path: "/db/batman/members", Presence: model.Present}
			for i, data := range []string{`{"state":"` + x.state + `"}`, `{"state":"streaming"}`, `{"state":"crashed"}`, `{"state":"streaming","tags":{"nofailover":true}}`} {
				d.Names = append(d.Names, fmt.Sprintf("pg%d", i+1))
				d.Children = append(d.Children, znode.Znode{Name: d.Names[i], Session: uint64(i + 1), Data: znode.NewData([]byte(data))})
			}
			c.put(d)
			if got := doctor.Could("take over", c.J.State().Standbys()); got != x.could {
				t.Errorf("%q, want %q", got, x.could)
			}
			c.after(time.Second, slices.DeleteFunc([]string{x.want}, func(s string) bool { return s == "" })...)
			// A list from before this one led says nothing of it.
			c.single(znode.Znode{Name: "/db/batman/leader", Session: 5, Czxid: 10, Data: znode.NewData([]byte("pg5"))})
			c.after(0)
		})
	}
}

// Watches are used up when the lock is deleted: that nobody watches an absent one does not
// show that nobody could lead.
func TestVacantWithoutWatchers(t *testing.T) {
	const lock = "/hadoop-ha/ns/ActiveStandbyElectorLock"
	c := newClinic(t, model.Config{Path: lock, Found: true, AckFollows: true})
	c.single()
	c.beside("/hadoop-ha/ns", "ActiveBreadCrumb/")
	c.answer(func(*session.Table) {})
	if got := doctor.Could("lead", c.J.State().Standbys()); got != "who could lead is not visible" {
		t.Error(got)
	}
	c.after(20 * time.Second)
	c.after(time.Minute, "no-leader critical")
}
