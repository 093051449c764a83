package check_test

import (
	"crypto/rand"
	"errors"
	"fmt"
	"log"
	"math"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/go-zookeeper/zk"
)

const candidateTimeout, candidatePause = 2 * time.Second, 200 * time.Millisecond // of a session; before a retry

// candidate takes part in an election until SIGTERM. If defect is "none", it follows the recipe.
// If it is "single", the candidates compete for one znode, without a defect. If it is "lock", it uses
// go-zookeeper's lock. The other defects are:
//
//	herd              while waiting, it watches the first znode and not its predecessor
//	no guid           after a lost create reply, it creates a second znode
//	ignores deletion  it does not check that its znode still exists
//	name order        it orders the znodes by names that begin with a decreasing number
//	keeps believing   a leader never stops believing that it leads
func candidate(defect, servers, path, id string) {
	fmt.Println(id, "follows")
	c := &contender{defect: defect, path: path, id: id, data: id + " " + rand.Text(), lost: make(chan struct{}, 1)}
	addrs := slices.Repeat(strings.Split(servers, ","), 2) // with one address, a zk.Conn waits 1 s before it reconnects
	var err error
	if c.conn, _, err = zk.Connect(addrs, candidateTimeout, zk.WithEventCallback(c.event)); err != nil {
		log.Fatal(err)
	}
	go c.compete()
	terminate := make(chan os.Signal, 1)
	signal.Notify(terminate, syscall.SIGTERM)
	<-terminate
	c.believe(false)
	c.mu.Lock()                                                 // for ever, so that nothing more is printed
	time.AfterFunc(800*time.Millisecond, func() { os.Exit(0) }) // Close takes longer without a connection
	c.conn.Close()
	os.Exit(0)
}

type contender struct {
	defect, path, id, data string // data is the znode's; no other contender has the same
	conn                   *zk.Conn
	session                int64           // of the znode
	znode                  string          // name, or ""
	unsure                 bool            // a create without a reply may have created the znode
	own, before            <-chan zk.Event // watches of the znode and of its predecessor
	lost                   chan struct{}   // receives a value after a lost connection
	mu                     sync.Mutex      // guards leads and the output
	leads                  bool            // what the contender believes
}

// believe prints what the contender believes if that changes. Without a connection, the contender cannot begin to lead.
func (c *contender) believe(leads bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !leads && c.defect == "keeps believing" {
		return
	}
	if leads != c.leads && (!leads || c.defect == "lock" || c.conn.State() == zk.StateHasSession) {
		c.leads = leads
		fmt.Println(c.id, map[bool]string{true: "leads", false: "follows"}[leads])
	}
}

// event handles a lost connection. A zk.Conn loses it when the server was silent for 2/3 of the session timeout.
func (c *contender) event(ev zk.Event) {
	if ev.Type != zk.EventSession || ev.State != zk.StateDisconnected {
		return
	}
	if c.defect != "lock" {
		c.believe(false)
	}
	select {
	case c.lost <- struct{}{}:
	default:
	}
}

func (c *contender) lock() {
	for ; ; time.Sleep(candidatePause) {
		if err := zk.NewLock(c.conn, c.path, zk.WorldACL(zk.PermAll)).Lock(); err != nil {
			log.Print(err)
			continue
		}
		c.believe(true)
		for session := c.conn.SessionID(); c.conn.SessionID() == session; {
			<-c.lost
		}
		c.believe(false) // the session expired
	}
}

func (c *contender) compete() {
	if c.defect == "lock" {
		c.lock()
	}
	for {
		// Apache's server refuses clients with a larger zxid after it lost its data, so the program starts again.
		for end := time.Now().Add(2 * candidateTimeout); c.conn.State() != zk.StateHasSession; time.Sleep(candidatePause / 4) {
			if time.Now().After(end) {
				log.Fatal(syscall.Exec(os.Args[0], os.Args, os.Environ()))
			}
		}
		if session := c.conn.SessionID(); session != c.session {
			c.session, c.znode, c.own = session, "", nil
		}
		if err := c.read(); err != nil {
			log.Print(err)
			time.Sleep(candidatePause)
			continue
		}
		select {
		case ev := <-c.own:
			c.own = nil
			if ev.Type == zk.EventNodeDeleted {
				c.znode = ""
				c.believe(false)
			}
		case <-c.before:
			c.before = nil
		case <-c.lost:
		}
	}
}

// read reads the election, and leads or watches the predecessor. Without a znode, it volunteers first.
func (c *contender) read() (err error) {
	if c.defect == "single" {
		return c.single()
	}
	if c.znode == "" {
		if err := c.volunteer(); err != nil {
			return err
		}
	}
	if c.own == nil && c.defect != "ignores deletion" {
		if _, _, c.own, err = c.conn.ExistsW(c.path + "/" + c.znode); err != nil {
			return err
		}
	}
	names, err := c.candidates()
	if err != nil {
		return err
	}
	i, found := slices.BinarySearch(names, c.znode)
	if !found && c.defect != "ignores deletion" {
		c.znode, c.own = "", nil
		return c.read()
	}
	c.believe(i == 0)
	if i == 0 {
		return nil
	}
	predecessor := names[i-1]
	if c.defect == "herd" {
		predecessor = names[0]
	}
	exists, _, watch, err := c.conn.ExistsW(c.path + "/" + predecessor)
	if err == nil && !exists {
		return c.read()
	}
	c.before = watch
	return err
}

var candidateName = regexp.MustCompile(`^([0-9a-f]{16}-)?n_[0-9]{10}$`)

// candidates returns the names of the znodes in the order of the election, without those of other programs.
func (c *contender) candidates() ([]string, error) {
	names, _, err := c.conn.Children(c.path)
	slices.Sort(names)
	return slices.DeleteFunc(names, func(name string) bool { return !candidateName.MatchString(name) }), err
}

func (c *contender) volunteer() error {
	if c.leads {
		time.Sleep(candidateTimeout / 2) // with the defect "keeps believing": the others volunteer first
	}
	c.believe(false)
	if c.unsure && c.defect != "no guid" {
		names, err := c.candidates()
		if err != nil {
			return err
		}
		for _, name := range names {
			switch data, _, err := c.conn.Get(c.path + "/" + name); {
			case string(data) == c.data:
				c.znode = name
				return nil
			case err != nil && !errors.Is(err, zk.ErrNoNode):
				return err
			}
		}
	}
	prefix := c.path + "/"
	if c.defect == "name order" {
		prefix += fmt.Sprintf("%016x-", math.MaxInt64-time.Now().UnixNano())
	}
	c.unsure = true
	znode, err := c.conn.Create(prefix+"n_", []byte(c.data), zk.FlagEphemeral|zk.FlagSequence, zk.WorldACL(zk.PermAll))
	if err == nil {
		c.znode = strings.TrimPrefix(znode, c.path+"/")
		c.unsure = c.conn.SessionID() != c.session // a zk.Conn can send a request in the next session
	}
	return err
}

// single leads if the session owns the election's only znode, and watches the znode.
func (c *contender) single() error {
	_, err := c.conn.Create(c.path, []byte(c.data), zk.FlagEphemeral, zk.WorldACL(zk.PermAll))
	if err != nil && !errors.Is(err, zk.ErrNodeExists) {
		return err
	}
	exists, stat, watch, err := c.conn.ExistsW(c.path)
	if err == nil && !exists {
		return c.single()
	}
	if c.before = watch; err == nil {
		c.believe(stat.EphemeralOwner == c.session)
	}
	return err
}
