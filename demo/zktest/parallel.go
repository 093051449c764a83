//go:build !race

package zktest

// testsPerProcessor is the number of parallel tests on each processor. With more, sessions with a timeout of one second would expire.
const testsPerProcessor = 2
