// Package palette is the list of everything that can be done, in front of the panels: what
// is typed narrows it, and what is selected says what it does, or why it cannot be done
// now.
package palette
