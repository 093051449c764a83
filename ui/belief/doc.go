// Package belief is the panel of belief and truth: who believes that it leads
// and who does, what the leaders' workers write, and whether that was safe.
//
// [Panel.Draw] has room for all of it. [Panel.DrawBrief] is for small screens;
// there, safety and liveness stand in the panel's title
// ([Panel.PropertySpans]).
package belief
