package overlay_test

import (
	"strconv"
	"testing"

	"electop/ui/input"
	"electop/ui/overlay"
	"electop/ui/term"
)

func text(n int) overlay.Text {
	t := overlay.Text{Title: "Text"}
	for i := range n {
		t.Lines = append(t.Lines, []term.Span{{Text: "line " + strconv.Itoa(i+1)}})
	}
	return t
}

func TestPanelScrolls(t *testing.T) {
	var p overlay.Panel
	p.Settle(term.InFront(120, 24, 40, 5), text(5))
	p.Move(input.CmdPageDown)
	if first, _, of := p.InView(); p.Long() || first != 1 || of != 5 || !p.AtBottom() {
		t.Errorf("a short text: got first line %d of %d, long %v, at bottom %v; want 1 of 5, false, true", first, of, p.Long(), p.AtBottom())
	}
	p.Settle(term.InFront(120, 24, 40, 100), text(100))
	first, last, of := p.InView()
	if !p.Long() || first != 1 || last >= 24 || of != 100 {
		t.Fatalf("a long text: got lines %d-%d of %d, want its beginning", first, last, of)
	}
	page := last
	p.Move(input.CmdPageDown)
	if first, last, _ := p.InView(); first != page || last != 2*page-1 { // pages overlap by a line
		t.Errorf("a page down: got lines %d-%d, want %d-%d", first, last, page, 2*page-1)
	}
	p.Settle(term.InFront(120, 30, 40, 100), text(100))
	if first, last, _ := p.InView(); first != page || last <= 2*page {
		t.Errorf("on a taller screen: got lines %d-%d, want more from %d on", first, last, page)
	}
	p.Settle(term.InFront(120, 24, 40, 30), text(30))
	if first, last, of := p.InView(); first > page || last != 30 && first != page || of != 30 {
		t.Errorf("a shorter text: got lines %d-%d of %d, want up to 30", first, last, of)
	}
	p.From(30)
	if _, last, _ := p.InView(); last != 30 || !p.AtBottom() {
		t.Errorf("at the bottom: got last line %d, at the bottom %v; want 30, true", last, p.AtBottom())
	}
	p.From(0)
	if first, _, _ := p.InView(); first != 1 || p.AtBottom() {
		t.Errorf("at the top: got first line %d, at the bottom %v; want 1, false", first, p.AtBottom())
	}
}
