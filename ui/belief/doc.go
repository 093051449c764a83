// Package belief is the panel of belief and truth: who believes that it leads, who
// leads, what the leaders' workers write, and whether that was safe.
//
// [Panel.Draw] draws all of it. [Panel.DrawBrief] is for small screens, where safety
// and liveness are in a panel's title ([Panel.PropertySpans]).
package belief
