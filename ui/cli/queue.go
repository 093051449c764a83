package cli

import "sync"

// queue passes things to a goroutine of its own, in order. put does not wait: a
// candidate must not lose its lease because nobody reads its output.
type queue[T any] struct {
	mu     sync.Mutex
	more   *sync.Cond
	things []T
	closed bool
	done   chan struct{}
}

func newQueue[T any](take func(T)) *queue[T] {
	q := &queue[T]{done: make(chan struct{})}
	q.more = sync.NewCond(&q.mu)
	go func() {
		defer close(q.done)
		for {
			q.mu.Lock()
			for len(q.things) == 0 && !q.closed {
				q.more.Wait()
			}
			things := q.things
			q.things = nil
			q.mu.Unlock()
			if len(things) == 0 {
				return
			}
			for _, thing := range things {
				take(thing)
			}
		}
	}()
	return q
}

func (q *queue[T]) put(thing T) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.things = append(q.things, thing)
	q.more.Signal()
}

// close waits until everything is taken.
func (q *queue[T]) close() {
	q.mu.Lock()
	q.closed = true
	q.more.Signal()
	q.mu.Unlock()
	<-q.done
}
