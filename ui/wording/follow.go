package wording

import "electop/model"

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
