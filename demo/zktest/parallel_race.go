//go:build race

package zktest

// The race detector makes the tests several times as slow.
const testsPerProcessor = 1
