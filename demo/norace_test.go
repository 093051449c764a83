//go:build !race

package demo_test

// crowd is how many candidates elect in one process.
const crowd = 2000
