package zktest

import (
	"math/rand/v2"
	"net"
	"strconv"
	"testing"
)

const loopback = "127.0.0.1"

// Ports for servers are below those that systems give to outgoing connections:
// one of these would now and then have the port of a server that is about to
// start, or to start again.
const firstPort, endPort = 10_000, 32_000

// A reservation keeps ports for a server that does not listen on them all the time: it
// has yet to start, is being restarted, or listens on one only while it leads an
// ensemble. The test binaries that run beside this one would take such a port for free.
// What they all see is who has the UDP port of the same number.
type reservation []net.PacketConn

func (r reservation) release() {
	for _, c := range r {
		c.Close()
	}
}

// freeAddrs returns an address for each of the hosts, on which nobody listens.
func freeAddrs(hosts ...string) (addrs []string, held reservation, err error) {
	for _, host := range hosts {
		port, h, err := freePort(host)
		if err != nil {
			held.release()
			return nil, nil, err
		}
		held = append(held, h)
		addrs = append(addrs, net.JoinHostPort(host, port))
	}
	return addrs, held, nil
}

// FreeAddr returns a loopback address on which nobody listens.
func FreeAddr(t testing.TB) string {
	t.Helper()
	addrs, held, err := freeAddrs(loopback)
	if err != nil {
		t.Fatal(err)
	}
	held.release()
	return addrs[0]
}

// freePort finds a port that nobody has reserved, and on which nobody listens at any of the
// hosts.
func freePort(hosts ...string) (port string, held net.PacketConn, err error) {
	for range 100 {
		port = strconv.Itoa(firstPort + rand.IntN(endPort-firstPort))
		if held, err = net.ListenPacket("udp", net.JoinHostPort(loopback, port)); err != nil {
			continue
		}
		for _, h := range hosts {
			var l net.Listener
			if l, err = net.Listen("tcp", net.JoinHostPort(h, port)); err != nil {
				break
			}
			l.Close()
		}
		if err == nil {
			return port, held, nil
		}
		held.Close()
	}
	return "", nil, err
}
