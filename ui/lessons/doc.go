// Package lessons draws lessons: the menu, and in a panel the text of the lesson that
// is on, with what there is to answer and to do.
//
// A [Tutor] says all of that; a [Course] shows it and passes on answers. It
// judges nothing.
package lessons
