package zktest

import (
	"math/rand/v2"
	"net"
	"strconv"
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

// listenFree listens on some free port of a host, which nobody has reserved.
func listenFree(host string) (l net.Listener, held net.PacketConn, err error) {
	for range 100 {
		port := strconv.Itoa(firstPort + rand.IntN(endPort-firstPort))
		if held, err = net.ListenPacket("udp", net.JoinHostPort(loopback, port)); err != nil {
			continue
		}
		if l, err = net.Listen("tcp", net.JoinHostPort(host, port)); err == nil {
			return l, held, nil
		}
		held.Close()
	}
	return nil, nil, err
}

// freeAddrs returns an address for each of the hosts, on which nobody listens.
func freeAddrs(hosts ...string) (addrs []string, held reservation, err error) {
	for _, host := range hosts {
		l, h, err := listenFree(host)
		if err != nil {
			held.release()
			return nil, nil, err
		}
		l.Close()
		held = append(held, h)
		addrs = append(addrs, l.Addr().String())
	}
	return addrs, held, nil
}

// freePort finds a port on which nobody listens at any of the hosts.
func freePort(hosts []string) (port string, held net.PacketConn, err error) {
	for range 20 {
		var first net.Listener
		if first, held, err = listenFree(hosts[0]); err != nil {
			return "", nil, err
		}
		_, port, _ = net.SplitHostPort(first.Addr().String())
		for _, h := range hosts[1:] {
			var l net.Listener
			if l, err = net.Listen("tcp", net.JoinHostPort(h, port)); err != nil {
				break
			}
			l.Close()
		}
		first.Close()
		if err == nil {
			return port, held, nil
		}
		held.Close()
	}
	return "", nil, err
}
