package model

// HistoryMax is how many handoffs and reigns a state remembers.
const HistoryMax = 500

// remember appends to a history of [HistoryMax].
func remember[T any](history []T, v T) []T { return keep(history, v, HistoryMax) }

// keep appends to a history of at most max. Older states keep their prefix.
func keep[T any](history []T, v T, max int) []T {
	if len(history) < max {
		return append(history, v)
	}
	// Room to grow, so that the copy is paid once in max appends.
	if cap(history)-len(history) > 0 {
		return append(history, v)[1:]
	}
	next := make([]T, 0, 2*max)
	next = append(next, history[1:]...)
	return append(next, v)
}

// replaced returns a copy of a history with another element at i, and with some room
// to grow.
func replaced[T any](history []T, i int, v T) []T {
	next := make([]T, len(history), len(history)*9/8+1)
	copy(next, history)
	next[i] = v
	return next
}
