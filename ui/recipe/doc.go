// Package recipe is the panel of the recipe: what candidates do as pseudo code,
// the lines that are being done and by whom, what a handoff costs by either
// rule, and a sentence on the situation. Of another system's election it shows
// what its dialect says.
//
// What candidates do takes a millisecond. So a line stays marked until it could
// be read: see [StepShown].
package recipe
