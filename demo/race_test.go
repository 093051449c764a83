//go:build race

package demo_test

// crowd bounds the number of candidates in TestCrowd: the race detector allows at most 8,128 goroutines.
const crowd = 600
