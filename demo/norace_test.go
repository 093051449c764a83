//go:build !race

package demo_test

// crowd is the number of candidates in one process.
const crowd = 2000
