//go:build race

package zktest

// testsPerProcessor is small because the race detector slows the tests down.
const testsPerProcessor = 1
