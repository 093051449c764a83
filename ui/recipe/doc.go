// Package recipe is the panel of the recipe: the recipe as pseudo code, the lines
// that run now and for which candidates, the cost of a handoff with either rule, and
// a sentence about the situation. For another system's election it shows the dialect.
//
// A step takes a millisecond. So its line stays marked until it could be read: see
// [StepShown].
package recipe
