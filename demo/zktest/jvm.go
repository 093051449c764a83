package zktest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// jars is the class path that Debian's package needs. The manifest of
// zookeeper.jar names most of its dependencies; servlet-api is one it forgets,
// and a binding of slf4j keeps it from complaining about having none.
var jars = [...]string{
	"/usr/share/java/zookeeper.jar",
	"/usr/share/java/zookeeper-jute.jar",
	"/usr/share/java/servlet-api.jar",
	"/usr/share/java/slf4j-nop.jar",
}

// tlsJars is what the manifest forgets of Netty, which TLS needs.
var tlsJars = [...]string{
	"/usr/share/java/netty-codec.jar",
	"/usr/share/java/netty-resolver.jar",
	"/usr/share/java/netty-transport-native-unix-common.jar",
}

// spawn starts the process and does not wait until it serves.
func (s *Server) spawn() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.proc != nil {
		return errors.New("it is running")
	}
	data := filepath.Join(s.dir, "data")
	if err := os.MkdirAll(data, 0o755); err != nil {
		return err
	}
	if s.quorum != nil {
		if err := os.WriteFile(filepath.Join(data, "myid"), fmt.Appendln(nil, s.id), 0o644); err != nil {
			return err
		}
	}
	cfg := filepath.Join(s.dir, "zoo.cfg")
	if err := os.WriteFile(cfg, []byte(s.config()), 0o644); err != nil {
		return err
	}
	args := []string{"-Xmx512m"}
	if s.quick {
		args = []string{"-Xms16m", "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
			"-Dzookeeper.preAllocSize=64"} // KiB, instead of 64 MiB a log file
	}
	if s.login != "" {
		jaas := filepath.Join(s.dir, "jaas.conf")
		if err := os.WriteFile(jaas, []byte("Server {\n"+s.login+"\n};\n"), 0o600); err != nil {
			return err
		}
		args = append(args, "-Djava.security.auth.login.config="+jaas,
			"-Dzookeeper.authProvider.1=org.apache.zookeeper.server.auth.SASLAuthenticationProvider")
	}
	args = append(args, s.properties...)
	args = append(args, "-Dzookeeper.forceSync=no",
		"-cp", s.classPath(),
		"org.apache.zookeeper.server.quorum.QuorumPeerMain", cfg)
	p, err := start("java", args...)
	if err == nil {
		s.proc = p
	}
	return err
}

func (s *Server) classPath() string {
	path := slices.Clone(jars[:])
	if s.tls != nil {
		path = append(path, tlsJars[:]...)
	}
	return strings.Join(path, string(os.PathListSeparator))
}
