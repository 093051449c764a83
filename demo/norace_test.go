//go:build !race

package demo_test

// crowd is the largest number of candidates that a test runs in one process. With the race
// detector it is smaller: see race_test.go.
const crowd = 2000
