//go:build !race

package zktest

// testsPerProcessor is how many parallel tests share a processor: with more,
// those with real sessions of a second would wait too long for their turn.
const testsPerProcessor = 2
