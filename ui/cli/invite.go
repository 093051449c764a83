package cli

import (
	"fmt"
	"net"
	"slices"

	"electop/ui"
)

// invitations are how programs of any kind join the election at path, each in a
// line to be pasted. addr is where the embedded server can be reached. kazoo and
// Curator look at names like their own only, and have to be told to take all
// that end in a number for contenders: else they would not queue behind ours. Who
// is invited is not asked whether they mean it (--yes).
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

// invitedTo is the address by which other machines reach a server that listens
// on addr: where that is all of this machine's, its first one that is not
// loopback.
func invitedTo(addr net.Addr, ours func() ([]net.Addr, error)) string {
	t, ok := addr.(*net.TCPAddr)
	if !ok || !t.IP.IsUnspecified() {
		return addr.String()
	}
	addrs, err := ours()
	if err != nil {
		return dialable(addr)
	}
	ips := make([]net.IP, 0, len(addrs))
	for _, a := range addrs {
		if n, ok := a.(*net.IPNet); ok && n.IP.IsGlobalUnicast() {
			ips = append(ips, n.IP)
		}
	}
	if len(ips) == 0 {
		return dialable(addr)
	}
	// One of the older kind is easier to type.
	slices.SortStableFunc(ips, func(a, b net.IP) int { return len(a.To4())*-1 - len(b.To4())*-1 })
	return net.JoinHostPort(ips[0].String(), fmt.Sprint(t.Port))
}
