package term

// Rect is a part of the screen, in cells. The zero rect is hidden.
type Rect struct{ X, Y, W, H int }

func (r Rect) Empty() bool { return r.W <= 0 || r.H <= 0 }

// Has reports whether (x, y) is in r.
func (r Rect) Has(x, y int) bool { return x >= r.X && x < r.X+r.W && y >= r.Y && y < r.Y+r.H }

// Inner is the inside of a border.
func (r Rect) Inner() Rect { return Rect{X: r.X + 1, Y: r.Y + 1, W: max(0, r.W-2), H: max(0, r.H-2)} }

// InFront is the place of a text with that many lines in front of the panels.
func InFront(w, h, width, lines int) Rect {
	ow, oh := min(w-4, width), min(h-4, lines+2)
	return Rect{X: (w - ow) / 2, Y: 1 + max(0, (h-3-oh)/2), W: ow, H: oh}
}

// TextWidth is how wide a text in front of the panels may be there.
func TextWidth(w, width int) int { return min(w-4, width) - 4 }

// Window returns the first of n that is in view, of which page are, so that at
// is among them: top, where that is possible.
func Window(top, at, page, n int) int {
	return max(0, min(max(min(top, at), at-page+1), n-page))
}
