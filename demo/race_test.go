//go:build race

package demo_test

// crowd is the number of candidates in one process: the race detector allows 8,128
// goroutines.
const crowd = 600
