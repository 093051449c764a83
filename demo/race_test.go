//go:build race

package demo_test

// crowd is small because the race detector allows at most 8,128 goroutines.
const crowd = 600
