// Package layout divides the screen: [Arrange] is a pure function from its size and
// what is to be shown to the rectangle of each part. Which panel can have the focus
// follows from it.
package layout
