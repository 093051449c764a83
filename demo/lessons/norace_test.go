//go:build !race

package lessons_test

// share says that one of so many other deeds is done.
const share = 1
