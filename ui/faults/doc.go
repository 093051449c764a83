// Package faults is the list of what can be done to one candidate to see what
// happens, and why some of it cannot be done now.
package faults
