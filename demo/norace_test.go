//go:build !race

package demo_test

// crowd is the number of candidates that the tests run in one process.
const crowd = 2000
