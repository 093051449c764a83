//go:build race

package zktest

// testsPerProcessor is one with the race detector: it makes everything several
// times as slow, so the tests no longer wait most of the time, and real servers
// beside them lose their sessions.
const testsPerProcessor = 1
