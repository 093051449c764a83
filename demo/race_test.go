//go:build race

package demo_test

// crowd is how many candidates elect in one process: the race detector bears
// 8,128 goroutines at a time.
const crowd = 600
