package overlay

import "testing"

func TestMatchingNamesComeFirst(t *testing.T) {
	all := []Entry{
		{Name: "resign", Key: "d", About: "closes its session; nobody loses time"},
		{Name: "lose reply", Key: "X", About: "the reply to its next create"},
		{Name: "close", Key: "C", About: "what is open"},
		{Name: "Copy path", Key: "y", About: "send the path"},
	}
	for typed, want := range map[string]string{
		"": "resign lose reply close Copy path", "  ": "resign lose reply close Copy path",
		"lose": "lose reply close resign", "LOSE r": "lose reply resign", "reply lose": "lose reply",
		"close": "close resign", "copy": "Copy path", "d": "resign Copy path", "path send": "Copy path", "x": "lose reply", "zzz": "",
		"y": "Copy path lose reply resign", "Y": "lose reply Copy path resign", // keys distinguish case
	} {
		got := ""
		for i, e := range match(all, typed) {
			if i > 0 {
				got += " "
			}
			got += e.Name
		}
		if got != want {
			t.Errorf("typed %q: got entries %s, want %s", typed, got, want)
		}
	}
}
