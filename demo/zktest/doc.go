// Package zktest starts real servers for tests.
//
// Only tests and their helper packages import it. It starts Apache ZooKeeper, as packaged
// by Debian (package zookeeper: jars under /usr/share/java), on free loopback ports with
// data under a temporary directory, waits until it serves, and ends it with the test.
// [Apache] is a standalone server that all tests of a test binary share, [NewApache] a
// private server that may be stopped, killed and paused, [NewEnsemble] a real quorum;
// options turn on TLS (with [NewCertificates]), SASL and the AdminServer. A [Link] is a
// network that can be delayed, held and cut, in front of one server or, with [WithLinks],
// between the members of an ensemble. [Each] runs a test with the embedded server of
// demo/zkserver and with Apache's.
//
// If Java or the package is missing, a test that needs Apache ZooKeeper is skipped, or
// fails if the environment has ELECTOP_TEST_ZOOKEEPER=required. [Require] does the same
// for other programs.
//
// [Kazoo] and [Curator] start third-party libraries in a process whose candidates
// join, lead and resign on the test's commands; [Run] starts any program and reads its
// output line by line. A process can be paused and killed like a server.
//
// A package that uses zktest calls [Main] from its TestMain. Each server ends in a
// cleanup or in Main, and on Linux the kernel ends it with the test binary.
//
// The tests have two tiers; ELECTOP_TEST_LONG turns the second on. [Second] skips a test of
// the second tier, [Long] reports whether that tier is on, and [Seed] is fixed in the first.
//
// This package imports demo/zkserver, so only external tests (package zkserver_test) of
// demo/zkserver and of its imports can use it.
package zktest
