package feed_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"electop/model"
	"electop/model/history"
	"electop/model/session"
	"electop/zkwatch/feed"
)

// churn is a demo's election in which somebody leaves and somebody joins twice
// a second: what its feed is given, as far as a journal goes by it.
type churn struct {
	*story
	put     func(model.Observation)
	queue   []*model.Member
	timeout time.Duration
	beats   int
	n       int
}

// churned makes the observations of n candidates under churn for as long as d,
// with tables of the server and a round trip each second, and a lease renewed
// every third of the timeout.
func churned(n int, d time.Duration, put func(model.Observation)) {
	c := &churn{story: newStory(), put: put, timeout: 10 * time.Second}
	put(c.connected())
	put(&model.Rules{At: c.at})
	c.join(n)
	for end := c.at.Add(d); c.at.Before(end); {
		c.second()
	}
}

func (c *churn) cast(m *model.Member, step model.Step, detail string, belief model.Belief) {
	c.pass(100 * time.Microsecond)
	m.Step, m.StepAt, m.StepOn, m.Belief = step, c.at, model.StepOn{Name: detail}, belief
	c.publish(m)
}

func (c *churn) publish(m *model.Member) {
	m.LeaseEnd = c.at.Add(c.timeout)
	c.put(&model.Cast{At: c.at, Member: *m})
}

// join has n more stand.
func (c *churn) join(n int, leavers ...int) {
	first := c.next
	r := c.change(n, leavers...)
	for i := range r.New {
		z := &r.New[i]
		z.Name = fmt.Sprintf("_c_%032x-n_%s", c.n, z.Name[2:])
		c.n++
	}
	for i, seq := range leavers {
		k := slices.IndexFunc(c.queue, func(m *model.Member) bool { return m.Fence == int64(seq) })
		m := c.queue[k]
		r.Gone[i] = m.Znode
		c.leave(k, c.parent.Pzxid-int64(len(leavers)-1-i))
	}
	c.put(r)
	for i, z := range r.New {
		m := &model.Member{
			ID: "m" + fmt.Sprint(z.Session), Name: "host", Recipe: "election", Session: z.Session, Timeout: c.timeout,
			Znode: z.Name, Fence: int64(first + i),
		}
		c.queue = append(c.queue, m)
		c.cast(m, model.StepCreate, "guid-n_", model.Volunteering)
		c.cast(m, model.StepList, "C := {12, 13, 14, 15, 16, 17, 18, 19, … 42 more}", model.Volunteering)
		if len(c.queue) > 1 {
			m.Watches = c.queue[len(c.queue)-2].Znode
			c.cast(m, model.StepWatch, "12", model.Waiting)
		} else {
			c.lead(m)
		}
	}
}

func (c *churn) lead(m *model.Member) {
	m.Watches = ""
	c.cast(m, model.StepLowest, "12", model.Elected)
	c.cast(m, model.StepLead, "", model.Elected)
	c.cast(m, model.StepAcknowledge, "/leader", model.Leading)
}

// leave takes out the one at k, whose znode goes at zxid, and has the next one
// act on it.
func (c *churn) leave(k int, zxid int64) {
	m := c.queue[k]
	m.Ending = model.Closing
	c.publish(m)
	c.put(&model.Cast{At: c.at, Member: *m, Gone: true})
	c.queue = slices.Delete(c.queue, k, k+1)
	wake := model.Wake{At: c.at, Deleted: c.at, Znode: m.Znode, Zxid: zxid, Notified: []uint64{m.Session + 1}}
	first := wake
	c.put(&first)
	if k == len(c.queue) {
		return
	}
	next := c.queue[k]
	c.cast(next, model.StepListAgain, "C := {12, 13, 14, 15, 16, 17, 18, 19, … 42 more}", model.Waiting)
	if k == 0 {
		c.lead(next)
	} else {
		next.Watches = c.queue[k-1].Znode
		c.cast(next, model.StepWatchAgain, "11", model.Waiting)
	}
	wake.At, wake.Requests, wake.BytesIn, wake.BytesOut, wake.Settled = c.at, 2, 100, 4000, true
	c.put(&wake)
}

// second is one of it.
func (c *churn) second() {
	for range 2 {
		c.pass(500 * time.Millisecond)
		c.beats++
		k := 0 // the leader, every half minute
		if c.beats%60 != 0 {
			k = 1 + c.beats*7919%(len(c.queue)-1)
		}
		c.join(1, int(c.queue[k].Fence))
	}
	for i, m := range c.queue {
		if (i+c.beats)%3 == 0 {
			c.publish(m)
		}
	}
	link := c.connected()
	link.RTT = time.Millisecond
	c.put(link)
	c.put(c.table())
}

// table is what the server says.
func (c *churn) table() *session.Table {
	told := session.Answer{State: session.Answered, Via: "http", At: c.at}
	s := session.Server{
		Addr: "127.0.0.1:2181", Version: "3.8.0", Mode: session.ModeStandalone, Zxid: 1000 + int64(c.n),
		Basic: told, Connections: told, Sessions: told, Watches: told, Tick: 2 * time.Second,
		ConnectionCount: len(c.queue), WatchCount: len(c.queue), DataWatches: len(c.queue),
	}
	for _, m := range c.queue {
		s.Clients = append(s.Clients, session.Client{
			Session: m.Session, Addr: fmt.Sprintf("127.0.0.1:%d", 40000+m.Session%20000), Timeout: c.timeout, LastOp: "GETC",
			Established: c.at, LastResponse: c.at.Sub(newStory().at), Received: int64(c.beats),
		})
		s.Deadlines = append(s.Deadlines, session.Deadline{Session: m.Session, At: c.at.Sub(newStory().at) + c.timeout})
		s.Ephemerals = append(s.Ephemerals, session.Ephemeral{Session: m.Session, Path: path + "/" + m.Znode})
		if m.Watches != "" {
			s.Watched = append(s.Watched, session.Watch{Path: path + "/" + m.Watches, Sessions: []uint64{m.Session}})
		}
	}
	return &session.Table{
		At: c.at, End: c.at, Whole: true, Every: time.Second, Servers: []session.Server{s},
		Anchors: []session.Anchor{{Session: 7, Sent: c.at, Timeout: c.timeout}},
	}
}

// churnFile records d of it.
func churnFile(t testing.TB, d time.Duration) (file string, n int) {
	t.Helper()
	file = t.TempDir() + "/recording"
	r, err := feed.Create(file, 0, history.NewHeader(acking, newStory().at))
	if err != nil {
		t.Fatal(err)
	}
	churned(50, d, func(o model.Observation) {
		n++
		if err := r.Encode(o, nil); err != nil {
			t.Fatal(err)
		}
	})
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return file, n
}
