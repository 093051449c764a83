//go:build !race

package demo_test

// crowd bounds the number of candidates in TestCrowd.
const crowd = 2000
