package cli

import (
	"fmt"
	"net"
	"slices"

	"electop/ui"
	"electop/ui/cli/embedded"
)

// invitations are lines to paste, with which other programs join the election at path.
// addr is the address of the embedded server. By default kazoo and Curator consider
// only names like their own; these lines make every child with a sequence number a
// contender, so that they queue behind ours. electop itself gets --yes and asks
// nothing.
func invitations(addr, path string) []ui.Invitation {
	return []ui.Invitation{
		{Program: "electop", Line: fmt.Sprintf("electop campaign %s -s %s --name YOU --yes", path, addr)},
		{Program: "kazoo (Python)", Line: fmt.Sprintf(`python3 -c "from kazoo.client import *; c = KazooClient('%s'); c.start(); `+
			`c.Lock('%s', 'YOU', ['[-_]']).acquire(); print('I lead'); input()"`, addr, path)},
		{Program: "Curator (Java)", Line: fmt.Sprintf(`var c = CuratorFrameworkFactory.newClient("%s", new RetryOneTime(100)); c.start(); `+
			`new InterProcessMutex(c, "%s", new StandardLockInternalsDriver() { public String fixForSorting(String s, String n) { return s.substring(s.length() - 10); } }).acquire();`, addr, path)},
		{Program: "zkCli", Line: fmt.Sprintf("(echo create -s -e %s/YOU-n_ YOU; cat) | zkCli.sh -server %s", path, addr)},
	}
}

// invitedTo is the address at which other machines reach a server that listens on
// addr. If it listens on all addresses of this machine, ours, that is the first one
// that is not loopback.
func invitedTo(addr net.Addr, ours []net.Addr) string {
	t, ok := addr.(*net.TCPAddr)
	if !ok || !t.IP.IsUnspecified() {
		return addr.String()
	}
	var ips []net.IP
	for _, a := range ours {
		if n, ok := a.(*net.IPNet); ok && n.IP.IsGlobalUnicast() {
			ips = append(ips, n.IP)
		}
	}
	if len(ips) == 0 {
		return embedded.Dialable(addr)
	}
	// An IPv4 address is easier to type.
	slices.SortStableFunc(ips, func(a, b net.IP) int { return len(b.To4()) - len(a.To4()) })
	return net.JoinHostPort(ips[0].String(), fmt.Sprint(t.Port))
}
