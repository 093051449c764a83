//go:build !race

package zktest

// testsPerProcessor bounds the parallel tests on each processor, so that short sessions do not expire.
const testsPerProcessor = 2
