//go:build race

package lessons_test

// share says that one of so many other deeds is done: the race detector makes them six
// times as slow, and they differ little in what runs side by side.
const share = 5
