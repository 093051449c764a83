package zktest

import (
	"os"
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

// A jvm is the Java virtual machine of a server.
type jvm struct {
	quick      bool     // to start, at the expense of speed afterwards
	tls        bool     // is used
	jaas       string   // file of the JAAS configuration; empty: no SASL
	properties []string // -Dkey=value
}

// command returns the arguments of java for the server of a zoo.cfg.
func (j jvm) command(cfg string) []string {
	args := []string{"-Xmx512m"}
	if j.quick {
		args = []string{"-Xms16m", "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
			"-Dzookeeper.preAllocSize=64"} // KiB, instead of 64 MiB a log file
	}
	if j.jaas != "" {
		args = append(args, "-Djava.security.auth.login.config="+j.jaas,
			"-Dzookeeper.authProvider.1=org.apache.zookeeper.server.auth.SASLAuthenticationProvider")
	}
	path := slices.Clone(jars[:])
	if j.tls {
		path = append(path, tlsJars[:]...)
	}
	args = append(args, j.properties...)
	return append(args, "-Dzookeeper.forceSync=no",
		"-cp", strings.Join(path, string(os.PathListSeparator)),
		"org.apache.zookeeper.server.quorum.QuorumPeerMain", cfg)
}
