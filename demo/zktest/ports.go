package zktest

import (
	"math/rand/v2"
	"net"
	"strconv"
	"testing"
)

const loopback = "127.0.0.1"

// firstPort and endPort-1 bound the servers' ports. By default, Linux, macOS and Windows dial from higher ports.
const firstPort, endPort = 10_000, 32_000

// reservation holds UDP ports. No call of freePort, also in other test binaries, takes a TCP port of the same number.
type reservation []net.PacketConn

func (r reservation) release() {
	for _, c := range r {
		c.Close()
	}
}

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
