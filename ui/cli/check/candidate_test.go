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

const sessionTimeout, retryPause = 2 * time.Second, 200 * time.Millisecond

// candidate takes part in an election until SIGTERM. With "none" it follows the recipe. With "single" the
// candidates compete for one znode. With "lock" it uses go-zookeeper's Lock. The other values are defects:
//
//	herd              while waiting, it watches the first znode and not its predecessor
//	no guid           after a lost create reply, it creates a second znode
//	ignores deletion  it does not check that its znode still exists
//	name order        it orders the znodes by names that begin with a decreasing number
//	keeps believing   a leader never stops believing that it leads
func candidate(defect, servers, path, id string) {
	fmt.Println(id, "follows")
	c := &contender{defect: defect, path: path, id: id, data: id + " " + rand.Text(), lost: make(chan struct{}, 1)}
	addrs := slices.Repeat(strings.Split(servers, ","), 2) // after it has tried all addresses, a zk.Conn waits 1 s
	var err error
	if c.conn, _, err = zk.Connect(addrs, sessionTimeout, zk.WithEventCallback(c.event)); err != nil {
		log.Fatal(err)
	}
	go c.compete()
	terminate := make(chan os.Signal, 1)
	signal.Notify(terminate, syscall.SIGTERM)
	<-terminate
	c.believe(false)
	c.mu.Lock()                                                 // held until the end, so that believe prints nothing more
	time.AfterFunc(800*time.Millisecond, func() { os.Exit(0) }) // Close takes longer without a connection
	c.conn.Close()
	os.Exit(0)
}

type contender struct {
	defect, path, id, data string // data is in the znode, and identifies the contender
	conn                   *zk.Conn
	session                int64
	znode                  string
	unsure                 bool // a create without a reply may have created the znode
	ownWatch, otherWatch   <-chan zk.Event
	lost                   chan struct{}
	mu                     sync.Mutex // guards leads and the output
	leads                  bool
}

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

// event handles a lost connection. A zk.Conn disconnects if the server is silent for 2/3 of the session timeout.
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
	for ; ; time.Sleep(retryPause) {
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
		// A server that lost its data refuses clients with a larger zxid. A restarted process has no zxid.
		for end := time.Now().Add(2 * sessionTimeout); c.conn.State() != zk.StateHasSession; time.Sleep(retryPause / 4) {
			if time.Now().After(end) {
				log.Fatal(syscall.Exec(os.Args[0], os.Args, os.Environ()))
			}
		}
		if session := c.conn.SessionID(); session != c.session {
			c.session, c.znode, c.ownWatch = session, "", nil
		}
		if err := c.takePart(); err != nil {
			log.Print(err)
			time.Sleep(retryPause)
			continue
		}
		select {
		case ev := <-c.ownWatch:
			c.ownWatch = nil
			if ev.Type == zk.EventNodeDeleted {
				c.znode = ""
				c.believe(false)
			}
		case <-c.otherWatch:
			c.otherWatch = nil
		case <-c.lost:
		}
	}
}

func (c *contender) takePart() (err error) {
	if c.defect == "single" {
		return c.competeForOne()
	}
	if c.znode == "" {
		if err := c.volunteer(); err != nil {
			return err
		}
	}
	if c.ownWatch == nil && c.defect != "ignores deletion" {
		if _, _, c.ownWatch, err = c.conn.ExistsW(c.path + "/" + c.znode); err != nil {
			return err
		}
	}
	names, err := c.candidates()
	if err != nil {
		return err
	}
	i, found := slices.BinarySearch(names, c.znode)
	if !found && c.defect != "ignores deletion" {
		c.znode, c.ownWatch = "", nil
		return c.takePart()
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
		return c.takePart()
	}
	c.otherWatch = watch
	return err
}

var candidateName = regexp.MustCompile(`^([0-9a-f]{16}-)?n_[0-9]{10}$`)

func (c *contender) candidates() ([]string, error) {
	names, _, err := c.conn.Children(c.path)
	slices.Sort(names)
	return slices.DeleteFunc(names, func(name string) bool { return !candidateName.MatchString(name) }), err
}

func (c *contender) volunteer() error {
	if c.leads {
		time.Sleep(sessionTimeout / 2) // with "keeps believing", the others volunteer first
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

func (c *contender) competeForOne() error {
	_, err := c.conn.Create(c.path, []byte(c.data), zk.FlagEphemeral, zk.WorldACL(zk.PermAll))
	if err != nil && !errors.Is(err, zk.ErrNodeExists) {
		return err
	}
	exists, stat, watch, err := c.conn.ExistsW(c.path)
	if err == nil && !exists {
		return c.competeForOne()
	}
	if c.otherWatch = watch; err == nil {
		c.believe(stat.EphemeralOwner == c.session)
	}
	return err
}
