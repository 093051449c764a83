//go:build race

package zktest

// testsPerProcessor is 1 here, because the race detector makes the tests several times as slow.
const testsPerProcessor = 1
