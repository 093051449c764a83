//go:build !race

package demo_test

// crowd is how many candidates elect in one process.
const crowd = 2000

// freezes is how many leaders are frozen one after the other.
const freezes = 1000
