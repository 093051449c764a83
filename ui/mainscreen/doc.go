// Package mainscreen is the main screen: the first line and the panels below it.
//
// [Screen.Settle] takes what is to be shown and gives each panel its place and its part of
// that; [Screen.Draw] draws it, and changes nothing but the canvas. Which panel has the focus
// and whether it fills the screen is kept here, and with it what a key or the wheel moves.
package mainscreen
