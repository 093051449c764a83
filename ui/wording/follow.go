package wording

import (
	"time"

	"electop/model"
	"electop/ui/term"
)

// Followed says how changes of the election are learnt of, "" where nobody said so or the
// user chose it.
func Followed(f *model.Follow) string {
	switch {
	case f == nil, f.Why == model.FollowAsked:
		return ""
	case f.By == model.ByWatch:
		return "one watch"
	case f.Why == model.FollowUnsupported:
		return "reads: server before 3.6"
	case f.Why == model.FollowRefused:
		return "reads: addWatch refused"
	case f.Why == model.FollowHidden:
		return "reads: hidden children"
	case f.Why == model.FollowFlooded:
		return "reads: too many other writes"
	case f.Why == model.FollowMissed:
		return "reads: the watch missed changes"
	}
	return "reads"
}

// KeptUp says how a list of elections is kept up to date after a search, "" if it is not.
// With model.ByReads the next search is at next.
func KeptUp(by model.FollowedBy, why model.FollowReason, next time.Time) string {
	switch by {
	case model.ByWatch:
		return "kept up to date by one watch"
	case model.ByReads:
		text := "next search at " + next.Local().Format(term.ClockFormat)
		switch why {
		case model.FollowUnsupported:
			text += ": server before 3.6"
		case model.FollowRefused:
			text += ": addWatch refused"
		case model.FollowFlooded:
			text += ": too many other writes for a watch"
		}
		return text
	}
	return ""
}
