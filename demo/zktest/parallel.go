//go:build !race

package zktest

// With more parallel tests, sessions with a timeout of one second would expire.
const testsPerProcessor = 2
