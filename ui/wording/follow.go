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
	}
	return "reads" + map[model.FollowReason]string{
		model.FollowUnsupported: ": server before 3.6", model.FollowRefused: ": addWatch refused", model.FollowHidden: ": hidden children",
		model.FollowFlooded: ": too many other writes", model.FollowMissed: ": the watch missed changes",
	}[f.Why]
}
