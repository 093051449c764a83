//go:build !race

package demo_test

// crowd is the number of candidates of TestCrowd. race_test.go has a smaller number.
const crowd = 2000
