package zkserver

import (
	"crypto/sha1"
	"encoding/base64"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"electop/zkwatch/wire"
)

// allowed reports whether any identity of the connection has one of the
// permissions asked for.
func (c *conn) allowed(acl []wire.ACL, perms int32) bool {
	if len(acl) == 0 {
		return true
	}
	for _, a := range acl {
		if a.Perms&perms == 0 {
			continue
		}
		if a.ID == openACL[0].ID {
			return true
		}
		for _, id := range c.auth {
			if id.Scheme != a.ID.Scheme {
				continue
			}
			if id.ID == a.ID.ID || id.Scheme == "ip" && matchIP(id.ID, a.ID.ID) {
				return true
			}
		}
	}
	return false
}

// resolveACL checks an ACL that a client wants to set and replaces "auth" by
// who the client is authenticated as. Repetitions are dropped.
func (c *conn) resolveACL(acl []wire.ACL) ([]wire.ACL, bool) {
	if slices.Equal(acl, openACL) {
		return openACL, true // shared by nearly all nodes
	}
	var out []wire.ACL
	add := func(a wire.ACL) { out = append(out, a) }
	for i, a := range acl {
		if slices.Contains(acl[:i], a) {
			continue
		}
		switch a.ID.Scheme {
		case "world":
			if a.ID.ID != "anyone" {
				return nil, false
			}
			add(a)
		case "auth":
			any := false
			for _, id := range c.auth {
				if id.Scheme == "digest" {
					any = true
					add(wire.ACL{Perms: a.Perms, ID: id})
				}
			}
			if !any {
				return nil, false
			}
		case "digest":
			// user:hash, where trailing colons do not count
			if strings.Count(strings.TrimRight(a.ID.ID, ":"), ":") != 1 {
				return nil, false
			}
			add(a)
		case "ip":
			if _, ok := parseNet(a.ID.ID); !ok {
				return nil, false
			}
			add(a)
		default:
			return nil, false
		}
	}
	return out, len(out) > 0
}

// parseNet reads an IPv4 address with or without a prefix length. Other
// addresses match nothing in ZooKeeper either.
func parseNet(s string) (netip.Prefix, bool) {
	host, length, cut := strings.Cut(s, "/")
	addr, err := netip.ParseAddr(host)
	if err != nil || !addr.Is4() {
		return netip.Prefix{}, false
	}
	bits := 32
	if cut {
		if bits, err = strconv.Atoi(length); err != nil || bits < 0 || bits > 32 {
			return netip.Prefix{}, false
		}
	}
	return netip.PrefixFrom(addr, bits), true
}

func matchIP(host, expr string) bool {
	p, ok := parseNet(expr)
	if !ok {
		return false
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && p.Contains(addr.Unmap())
}

// authenticate adds an identity to the connection.
func (c *conn) authenticate(req *wire.AuthRequest) bool {
	var id wire.ID
	switch req.Scheme {
	case "digest":
		if req.Auth == nil {
			return false
		}
		sum := sha1.Sum(req.Auth)
		user, _, _ := strings.Cut(string(req.Auth), ":")
		id = wire.ID{Scheme: "digest", ID: user + ":" + base64.StdEncoding.EncodeToString(sum[:])}
	case "ip":
		id = wire.ID{Scheme: "ip", ID: c.host}
	default:
		return false
	}
	if !slices.Contains(c.auth, id) {
		c.auth = append(c.auth, id)
	}
	return true
}

// whoAmI lists the connection's identities without their secrets.
func (c *conn) whoAmI() *wire.WhoAmIResponse {
	rsp := &wire.WhoAmIResponse{}
	for _, id := range c.auth {
		if id.Scheme == "digest" {
			id.ID, _, _ = strings.Cut(id.ID, ":")
		}
		rsp.IDs = append(rsp.IDs, id)
	}
	return rsp
}

// getACL hides the hashes of digest identities from those who may not change
// the ACL.
func (s *Server) getACL(c *conn, path string) (wire.Appender, wire.Code) {
	n := s.tree.get(path)
	if n == nil {
		return nil, wire.NoNode
	}
	if !c.allowed(n.acl, wire.PermRead|wire.PermAdmin) {
		return nil, wire.NoAuth
	}
	acl := n.acl
	if !c.allowed(acl, wire.PermAdmin) {
		acl = slices.Clone(acl)
		for i, a := range acl {
			if a.ID.Scheme == "digest" {
				user, _, _ := strings.Cut(a.ID.ID, ":")
				acl[i].ID.ID = user + ":x"
			}
		}
	}
	return &wire.ACLResponse{ACL: acl, Stat: n.stat()}, wire.OK
}
