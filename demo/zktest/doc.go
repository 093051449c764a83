// Package zktest starts Apache ZooKeeper servers and third-party clients for tests.
//
// [Apache] returns a standalone Apache ZooKeeper that all tests of a test binary share.
// [NewApache] starts a private server, which a test may stop, kill and pause. [NewEnsemble]
// starts a quorum. The servers run Debian's package zookeeper (jars under /usr/share/java) on
// free loopback ports, with data in a temporary directory. An [Option] changes their
// configuration. [Each] runs a test with the embedded server of demo/zkserver and with Apache's.
//
// [NewLink] starts a [fault.Link], which relays TCP connections to a server, and can delay, hold
// and cut them. [WithLinks] puts links between the members of an ensemble.
//
// [Kazoo] and [Curator] start third-party clients, whose candidates join and resign on the
// test's commands. [Run] starts any program and reads its output line by line.
//
// If a command or a package is missing, [Require] skips the test. If the environment has
// ELECTOP_TEST_ZOOKEEPER=required, the test fails instead.
//
// A package that uses [Apache], [Each] or [Curator] calls [Main] or [Tests] from its TestMain. Each started
// process ends in a cleanup or in Tests. On Linux, the kernel kills the process if the test binary dies.
//
// The tests have two tiers. ELECTOP_TEST_LONG turns the second tier on; see [SecondTier]
// and [Long].
//
// This package imports demo/zkserver and zkwatch/fault, so internal tests of these packages and of their
// imports cannot import zktest. External tests (such as package zkserver_test) can.
package zktest
