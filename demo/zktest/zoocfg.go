package zktest

import (
	"cmp"
	"fmt"
	"net"
	"path/filepath"
	"strings"
)

// config is the text of zoo.cfg.
func (s *Server) config() string {
	host, port, _ := net.SplitHostPort(s.Addr)
	var b strings.Builder
	tick := s.tick.Milliseconds()
	fmt.Fprintf(&b, "tickTime=%d\n", tick)
	if !s.stock {
		fmt.Fprintf(&b, "minSessionTimeout=%d\nmaxSessionTimeout=60000\n", 2*tick)
	}
	fmt.Fprintf(&b, "dataDir=%s\nclientPort=%s\nclientPortAddress=%s\n", filepath.ToSlash(filepath.Join(s.dir, "data")), port, host)
	fmt.Fprintf(&b, "maxClientCnxns=0\n4lw.commands.whitelist=%s\n", s.words)
	if s.admin {
		host, port, _ := net.SplitHostPort(s.Admin)
		fmt.Fprintf(&b, "admin.serverAddress=%s\nadmin.serverPort=%s\n", host, port)
	} else {
		b.WriteString("admin.enableServer=false\n")
	}
	if s.tls != nil {
		host, port, _ := net.SplitHostPort(s.Secure)
		fmt.Fprintf(&b, "secureClientPort=%s\nsecureClientPortAddress=%s\n", port, host)
		b.WriteString("serverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory\nssl.clientAuth=need\n")
		fmt.Fprintf(&b, "ssl.keyStore.location=%s\nssl.keyStore.type=PEM\n", filepath.ToSlash(s.tls.server))
		fmt.Fprintf(&b, "ssl.trustStore.location=%s\nssl.trustStore.type=PEM\n", filepath.ToSlash(s.tls.CA))
	}
	if s.quorum != nil {
		// Ten seconds to catch up with the ensemble leader, five to answer it.
		initLimit := cmp.Or(s.initLimit, int(max(5, 10_000/tick)))
		syncLimit := cmp.Or(s.syncLimit, int(max(2, 5_000/tick)))
		fmt.Fprintf(&b, "initLimit=%d\nsyncLimit=%d\n", initLimit, syncLimit)
		// Otherwise the members would take over the ensemble leader's list of
		// servers, in which the others are behind the links of that one.
		b.WriteString("reconfigEnabled=false\n")
		for _, line := range s.quorum {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}
