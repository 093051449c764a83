package zktest

import (
	"math/rand/v2"
	"net"
	"strconv"
	"testing"
)

const loopback = "127.0.0.1"

// firstPort and endPort bound the ports of servers, below those that operating systems give
// to outgoing connections: an outgoing connection could take a server's port before it starts.
const firstPort, endPort = 10_000, 32_000

// A reservation reserves ports for a server that does not listen on them all the time,
// because it restarts, or because it listens on a port only while it leads an ensemble.
// Other test binaries see the reservation: it holds the UDP ports of the same numbers.
type reservation []net.PacketConn

func (r reservation) release() {
	for _, c := range r {
		c.Close()
	}
}

// freeAddrs reserves an address on each of the hosts.
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

// FreeAddr returns a loopback address without a listener.
func FreeAddr(t testing.TB) string {
	t.Helper()
	addrs, held, err := freeAddrs(loopback)
	if err != nil {
		t.Fatal(err)
	}
	held.release()
	return addrs[0]
}

// freePort reserves a port that has no listener on any of the hosts.
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
