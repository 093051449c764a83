package observer

import "sync"

// A latest is a value whose changes can be waited for. Its zero is the zero value.
type latest[T comparable] struct {
	mu      sync.Mutex
	value   T
	changed chan struct{} // closed when value is another
}

func (l *latest[T]) get() (value T, changed <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.changed == nil {
		l.changed = make(chan struct{})
	}
	return l.value, l.changed
}

func (l *latest[T]) set(value T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.value != value && l.changed != nil {
		close(l.changed)
		l.changed = nil
	}
	l.value = value
}
