package candidate

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/model"
	"electop/model/znode"
	"electop/zkwatch/client"
)

var errUncertain = fmt.Errorf("%w: a create was not answered, and its znode was not found", errLost)

// volunteer creates no second znode after a lost reply, unless the name has no guid: the create may be executed late,
// because a follower can forward it even after the session has moved to another server and back.
func (s *candidacy) volunteer(ctx context.Context) error {
	prefix := znode.Join(s.cfg.Path, s.prefix)
	create := func(m *model.Member) {
		m.Belief, m.Step, m.StepAt, m.StepOn = model.Volunteering, model.StepCreate, s.cfg.Now(), model.StepOn{Name: s.shown}
		m.Reason = ""
	}
	s.report(create)
	quota := quotaPause
	for {
		path, err := s.conn.Create(ctx, prefix, s.cfg.Data, zk.FlagEphemeral|zk.FlagSequence, s.acl)
		switch {
		case err == nil:
			s.name = znode.Base(path)
			s.report(func(m *model.Member) { m.Znode, m.Obstacle = s.name, "" })
			return nil
		case errors.Is(err, zk.ErrNoNode) && s.cfg.Create:
			err = s.createParent(ctx)
			if err == nil {
				continue
			}
			if !errors.Is(err, client.ErrQuota) {
				return err
			}
		case errors.Is(err, zk.ErrNoNode):
			return fmt.Errorf("%w: %s", ErrNoParent, s.cfg.Path)
		}
		if errors.Is(err, client.ErrQuota) {
			s.report(func(m *model.Member) { m.Obstacle = znode.Safe(err.Error(), 0) })
			if _, err := s.await(ctx, nil, time.After(quota)); err != nil {
				return err
			}
			quota = min(2*quota, quotaPauseMost)
			continue
		}
		if !client.Unanswered(err) {
			return err
		}
		if err := s.awaitConnected(ctx); err != nil {
			return err
		}
		if errors.Is(err, client.ErrUnknownOutcome) && !s.noGuid {
			found, err := s.find(ctx)
			if err != nil {
				return err
			}
			if found == "" {
				return errUncertain
			}
			s.name = found
			s.report(func(m *model.Member) { m.Znode, m.StepOn = s.name, model.StepOn{Name: s.shown, Found: true} })
			return nil
		}
		s.report(create)
	}
}

const (
	quotaPause     = time.Second
	quotaPauseMost = 30 * time.Second
)

// find sends sync to make the server catch up with the ensemble leader.
func (s *candidacy) find(ctx context.Context) (string, error) {
	var found string
	err := s.retry(ctx, func(ctx context.Context) error {
		found = ""
		if err := s.conn.Sync(ctx, s.cfg.Path); err != nil {
			return err
		}
		children, _, err := s.conn.Children(ctx, s.cfg.Path)
		if err != nil {
			return err
		}
		children = slices.DeleteFunc(children, func(name string) bool {
			_, numbered := znode.Sequence(name)
			return !numbered || !strings.HasPrefix(name, s.prefix) || len(name) > len(s.prefix)+znode.SequenceDigits+1
		})
		slices.Sort(children)
		for _, name := range slices.Backward(children) {
			ok, stat, err := s.conn.Exists(ctx, znode.Join(s.cfg.Path, name))
			if err != nil {
				return err
			}
			if ok && uint64(stat.EphemeralOwner) == s.conn.Status().SessionID {
				found = name
				return nil
			}
		}
		return nil
	})
	return found, err
}

// createParent continues after ErrNoAuth for an ancestor: it may exist, because servers check the permission first.
func (s *candidacy) createParent(ctx context.Context) error {
	var forbidden error
	parts := strings.Split(strings.TrimPrefix(s.cfg.Path, "/"), "/")
	for i := range parts {
		path := "/" + strings.Join(parts[:i+1], "/")
		err := s.retry(ctx, func(ctx context.Context) error {
			_, err := s.conn.Create(ctx, path, nil, 0, s.acl)
			return err
		})
		switch {
		case err == nil, errors.Is(err, zk.ErrNodeExists):
		case errors.Is(err, zk.ErrNoAuth) && i+1 < len(parts):
			forbidden = err
		case errors.Is(err, zk.ErrNoNode) && forbidden != nil:
			return forbidden
		case errors.Is(err, zk.ErrNoNode):
			return fmt.Errorf("%w: %s; it cannot be created: the chroot or an ancestor does not exist", ErrNoParent, s.cfg.Path)
		default:
			return err
		}
	}
	return nil
}

func (c *Candidate) prefix() (prefix, shown string, noGuid bool) {
	if c.cfg.NoGuid != nil && (c.cfg.Dialect == nil || !c.cfg.Dialect.Foreign()) && c.cfg.NoGuid() {
		return "n_", "n_", true
	}
	var guid [16]byte
	rand.Read(guid[:]) // never fails
	digits := hex.EncodeToString(guid[:])
	prefix = digits + "-n_"
	if c.cfg.Dialect != nil {
		prefix = c.cfg.Dialect.Prefix(guid)
	}
	uuid := strings.Join([]string{digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]}, "-")
	shown = strings.NewReplacer(digits, digits[:8]+"…", uuid, digits[:8]+"…").Replace(prefix)
	return prefix, znode.Safe(shown, 0), false
}

var ownName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-f]{32}-n_(?:[0-9]{10}|-[0-9]{9,10})$`) })

// OwnName reports whether a [Candidate] without Dialect and NoGuid can have created a znode with
// this name.
func OwnName(name string) bool { return ownName().MatchString(name) }

// defaultACL permits everybody to read the created znodes: since the fix of CVE-2024-23944 servers
// notify only clients that may read. With credentials, only the same account may change the znodes.
func defaultACL(conn client.Config) []zk.ACL {
	if !conn.Authenticates() {
		return zk.WorldACL(zk.PermAll)
	}
	return append(zk.AuthACL(zk.PermAll), zk.WorldACL(zk.PermRead)...)
}
