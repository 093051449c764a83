//go:build race

package demo_test

// The race detector allows at most 8,128 goroutines.
const crowd = 600
