package clienttest

import (
	"strings"
	"sync"
)

// Said is what was said, by any goroutine.
type Said struct {
	mu sync.Mutex
	b  strings.Builder
}

func (s *Said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *Said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
