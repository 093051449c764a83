package zkserver

import "testing"

func TestAverage(t *testing.T) {
	for _, tt := range []struct {
		l    latency
		want string
	}{
		{latency{}, "0.0"},
		{latency{count: 2, total: 2e6}, "1.0"},
		{latency{count: 1, total: 11_969e2}, "1.1969"},
		{latency{count: 1, total: 1}, "0.0"},
		{latency{count: 1, total: 12e6 + 500e3}, "12.5"},
	} {
		if got := tt.l.average(); got != tt.want {
			t.Errorf("average of %+v = %s, want %s", tt.l, got, tt.want)
		}
	}
}
