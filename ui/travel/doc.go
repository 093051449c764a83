// Package travel finds other moments of an election and says what happened at
// them. A [Journey] goes from one moment to where the user's moves lead; [Words]
// says what happened there, and [Playback] where in a recording the screen is.
package travel
