package input

import (
	"cmp"
	"slices"

	"electop/ui/term"
)

// FootKey is a key as the footer shows it, with its Shown and Label.
type FootKey struct {
	Binding
	Off   bool
	Style term.Style // of both; term.Text: as the others
}

func (k *FootKey) width() int { return term.Width(k.Shown) + 1 + term.Width(k.Label) }

// DrawFooter draws keys in a line, in their order. Where there is no room for
// all, those leave that matter least.
func DrawFooter(f *term.Frame, r term.Rect, keys []FootKey) {
	slices.SortStableFunc(keys, func(a, b FootKey) int { return cmp.Compare(a.Foot, b.Foot) })
	gap := 3
	need := func() int {
		n := 0
		for _, k := range keys {
			n += k.width() + gap
		}
		return n - gap
	}
	room := r.W - 2
	for len(keys) > 0 && need() > room {
		if gap > 2 {
			gap = 2
			continue
		}
		most := 0
		for i, k := range keys {
			if k.Drop >= keys[most].Drop {
				most = i
			}
		}
		if keys[most].Drop == 0 {
			break
		}
		keys = slices.Delete(keys, most, most+1)
	}
	f.Spots(term.Rect{X: r.X, Y: r.Y, W: r.W, H: 1}, func(x, _ int) any {
		at := r.X + 1
		for _, k := range keys {
			if at <= x && x < at+k.width() {
				return k
			}
			at += k.width() + gap
		}
		return nil
	})
	p := f.Area(r).Pen(0).Gap(1)
	for i, k := range keys {
		if i > 0 {
			p.Gap(gap)
		}
		key, label := term.Key, term.Muted
		if k.Style != term.Text {
			key, label = k.Style, k.Style
		}
		if k.Off {
			key, label = term.Faint, term.Faint
		}
		p.Text(key, k.Shown).Gap(1).Text(label, k.Label)
	}
}
