// Package term draws text into the cells of a terminal. It does not know elections.
//
// A [Canvas] is the screen as cells. Everything drawn is clipped to it and to its
// [Area], so no frame is larger than the terminal, and no control character gets onto
// the screen. A [Pen] writes one line of an area from left to right; a [Span] is text
// in one style.
//
// A [Style] names a meaning (who leads, trouble, less important text), and the
// [Theme] turns it into the escape sequence of a terminal with many colours, few or
// none. Colours and signs are defined nowhere else.
//
// A [Frame] is what one picture is drawn with: the canvas, the theme and two clocks.
// While drawing, each part says with [Frame.At] or [Frame.Every] when its digits
// change next; the earliest of these moments is the next tick.
package term
