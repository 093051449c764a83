// Package zktest starts real servers for tests.
//
// Only test files import it. It starts Apache ZooKeeper, as packaged by Debian
// (package zookeeper: jars under /usr/share/java), on free loopback ports with
// data under a temporary directory, waits until it serves, and ends it with the
// test that asked for it. [Apache] is one standalone server shared by all the
// tests of a test binary, [NewApache] a private one that may be stopped,
// killed and paused, [NewEnsemble] a real quorum; options turn on TLS (with
// [NewCertificates]), SASL and the AdminServer. A [Link] is a network that can be
// delayed, held and cut, in front of one server or, with [WithLinks], between
// the members of an ensemble. [Each] runs the same test against the
// embedded server of demo/zkserver and against Apache's, so that the embedded one
// must behave like the real one.
//
// A test that needs Apache ZooKeeper is skipped where Java or the package is
// missing, unless the environment says ELECTOP_TEST_ZOOKEEPER=required: then it
// fails instead.
//
// [Kazoo] and [Curator] start third-party libraries in a process whose candidates
// join, lead and resign as the test commands; [Run] starts any program and reads its
// output line by line. A process can be stopped and killed like a server. [Require]
// applies the same policy to what they need.
//
// A package that uses zktest calls [Main] from its TestMain. No server outlives
// the test binary: each ends in a cleanup or in Main, and on Linux the kernel
// ends it with the binary, however that dies.
//
// The tests have two tiers. [Second] skips a test of the second one, [Long] says whether
// that is on, and [Seed] is fixed in the first one.
//
// This package imports demo/zkserver, so the tests of demo/zkserver and of what
// it imports must be external ones (package zkserver_test) to use it.
package zktest
