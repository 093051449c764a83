//go:build race

package zktest

// testsPerProcessor is 1 because the race detector makes the tests several times as slow.
const testsPerProcessor = 1
