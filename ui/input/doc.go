// Package input is what the keyboard is for: one table of bindings with modes
// ([Bindings]), from which the footer, the help and electop help keys are made. No key
// means two things in one mode; a test looks.
//
// What is in front of the panels is a [Mode]: the elections, the faults, the help. [Lookup] says which [Command] a key means in a mode.
package input
