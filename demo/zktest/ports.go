package zktest

import (
	"math/rand/v2"
	"net"
	"strconv"
	"testing"
)

const loopback = "127.0.0.1"

// Servers have ports from firstPort to endPort-1. Operating systems give higher ports to
// outgoing connections, so no such connection takes the port of a server.
const firstPort, endPort = 10_000, 32_000

// A reservation reserves TCP ports for a server that does not always listen on them. It binds
// the UDP ports with the same numbers, because other test binaries check the UDP ports too.
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

// freePort reserves a port without a listener on any of the hosts.
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
