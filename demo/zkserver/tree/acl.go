package tree

import (
	"crypto/sha1"
	"encoding/base64"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"electop/zkwatch/wire"
)

// Identities are a client's address and the identities that the client has authenticated.
type Identities []wire.ID

// May reports whether acl gives the client one of perms. An empty acl gives all permissions.
func (who Identities) May(acl []wire.ACL, perms int32) bool {
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
		for _, id := range who {
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

// resolve replaces "auth" with the client's digest identities.
func (who Identities) resolve(acl []wire.ACL) ([]wire.ACL, bool) {
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
			for _, id := range who {
				if id.Scheme == "digest" {
					any = true
					add(wire.ACL{Perms: a.Perms, ID: id})
				}
			}
			if !any {
				return nil, false
			}
		case "digest":
			// USER:HASH; Java's split ignores trailing colons
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

// parseNet parses an IPv4 address or ADDRESS/BITS. Like ZooKeeper 3.8, it rejects IPv6.
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

// Authenticate adds the identity that a request from host authenticates. It returns false for a scheme other than
// ip and digest, and for a digest whose data is null.
func (who Identities) Authenticate(req *wire.AuthRequest, host string) (Identities, bool) {
	var id wire.ID
	switch req.Scheme {
	case "digest":
		if req.Auth == nil {
			return who, false
		}
		sum := sha1.Sum(req.Auth)
		user, _, _ := strings.Cut(string(req.Auth), ":")
		id = wire.ID{Scheme: "digest", ID: user + ":" + base64.StdEncoding.EncodeToString(sum[:])}
	case "ip":
		id = wire.ID{Scheme: "ip", ID: host}
	default:
		return who, false
	}
	if !slices.Contains(who, id) {
		who = append(who, id)
	}
	return who, true
}

// WhoAmI returns the identities without password hashes.
func (who Identities) WhoAmI() *wire.WhoAmIResponse {
	rsp := &wire.WhoAmIResponse{}
	for _, id := range who {
		if id.Scheme == "digest" {
			id.ID, _, _ = strings.Cut(id.ID, ":")
		}
		rsp.IDs = append(rsp.IDs, id)
	}
	return rsp
}
