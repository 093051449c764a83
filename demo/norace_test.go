//go:build !race

package demo_test

// the number of candidates of TestCrowd
const crowd = 2000
