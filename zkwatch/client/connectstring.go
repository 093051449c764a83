package client

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"electop/zkwatch/wire"
)

// DefaultPort is the default port of a ZooKeeper server for clients.
const DefaultPort = 2181

// A ConnectString names the servers of one cluster and, optionally, a chroot.
type ConnectString struct {
	Servers []string // each host:port, an IPv6 host in brackets
	Chroot  string   // an absolute path, or "" for none
}

// ParseConnectString parses host[:port][,host[:port]...][/chroot]. An IPv6 address needs brackets only
// if its last group could also be a port. Without a port, a server has [DefaultPort].
func ParseConnectString(s string) (ConnectString, error) {
	cs, err := parseConnectString(strings.TrimSpace(s))
	if err != nil {
		return ConnectString{}, fmt.Errorf("connect string %q: %w", s, err)
	}
	return cs, nil
}

func parseConnectString(s string) (ConnectString, error) {
	if s == "" {
		return ConnectString{}, errors.New("it is empty")
	}
	var cs ConnectString
	if i := strings.IndexByte(s, '/'); i >= 0 {
		if s[i:] != "/" {
			cs.Chroot = s[i:]
		}
		if err := wire.ValidatePath(s[i:]); err != nil {
			return ConnectString{}, fmt.Errorf("chroot %q: %w", s[i:], err)
		}
		s = s[:i]
	}
	for entry := range strings.SplitSeq(s, ",") {
		entry = strings.TrimSpace(entry)
		addr, err := parseServer(entry)
		if err != nil {
			return ConnectString{}, fmt.Errorf("server %q: %w", entry, err)
		}
		cs.Servers = append(cs.Servers, addr)
	}
	return cs, nil
}

func parseServer(entry string) (string, error) {
	host, port := entry, strconv.Itoa(DefaultPort)
	if entry == "" {
		return "", errors.New("it is empty")
	} else if rest, ok := strings.CutPrefix(entry, "["); ok {
		inner, after, closed := strings.Cut(rest, "]")
		switch {
		case !closed:
			return "", errors.New("no closing bracket")
		case !isIPv6(inner):
			return "", fmt.Errorf("%q is not an IPv6 address", inner)
		case after != "" && after[0] != ':':
			return "", fmt.Errorf("%q after the bracket is not a port", after)
		case after != "":
			port = after[1:]
		}
		host = inner
	} else if i := strings.LastIndexByte(entry, ':'); i >= 0 {
		before, after := entry[:i], entry[i+1:]
		_, err := strconv.ParseUint(after, 10, 16)
		switch {
		case isIPv6(entry) && isIPv6(before) && err == nil:
			return "", fmt.Errorf("an IPv6 address with or without a port? Write [%s] or [%s]:%s", entry, before, after)
		case isIPv6(entry):
		case strings.Contains(before, ":") && !isIPv6(before):
			return "", errors.New("more than one colon, but not an IPv6 address")
		default:
			host, port = before, after
		}
	}
	if err := validHost(host); err != nil {
		return "", err
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 {
		return "", fmt.Errorf("port %q is not a number from 1 to 65535", port)
	}
	return net.JoinHostPort(host, strconv.FormatUint(n, 10)), nil
}

func isIPv6(host string) bool {
	a, err := netip.ParseAddr(host)
	return err == nil && a.Is6() && validHost(host) == nil
}

func validHost(host string) error {
	switch {
	case host == "":
		return errors.New("no host")
	case len(host) > 253: // the longest domain name
		return errors.New("the host name is too long")
	case !utf8.ValidString(host):
		return errors.New("the host name is not valid UTF-8")
	}
	for _, r := range host {
		if !unicode.IsPrint(r) || unicode.IsSpace(r) || strings.ContainsRune(`[]/\,@?#"'`, r) {
			return fmt.Errorf("character %q in the host name", r)
		}
	}
	return nil
}

// String returns the connect string with every port.
func (cs ConnectString) String() string {
	return strings.Join(cs.Servers, ",") + cs.Chroot
}

func (cs ConnectString) full(path string) string {
	switch {
	case cs.Chroot == "":
		return path
	case path == "/":
		return cs.Chroot
	}
	return cs.Chroot + path
}
