//go:build !race

package zktest

// testsPerProcessor is the number of parallel tests for each processor. With more, sessions
// of a second would expire.
const testsPerProcessor = 2
