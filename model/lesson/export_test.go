package lesson

// Events are all that a condition can wait for.
func Events() (all []Event) {
	for e := range vocabulary {
		all = append(all, e)
	}
	return all
}

// CheckCondition is what [Lesson.Check] finds of a condition.
func CheckCondition(c Condition) error { return c.check() }
