//go:build race

package zktest

// testsPerProcessor is 1 with the race detector, because it makes the tests several times
// as slow.
const testsPerProcessor = 1
