//go:build !race

package zktest

// testsPerProcessor is the number of parallel tests for each processor. With more parallel
// tests, sessions with a timeout of one second would expire.
const testsPerProcessor = 2
