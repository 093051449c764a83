package recipe

import "testing"

func TestFitNames(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{fitNames([]string{"a", "b", "c", "d"}, 20), "a, b, c +1"}, {fitNames([]string{"amber", "birch"}, 9), "amber +1"}, {fitNames([]string{"amber"}, 3), "am…"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}
