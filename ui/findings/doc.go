// Package findings is what the doctor found wrong with an election, as it is
// read at three in the morning: what, by what it is known, what it does, what
// to do; and what was not checked.
package findings
