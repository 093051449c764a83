package wording

import (
	"testing"

	"electop/model"
	"electop/model/doctor"
)

// TestAddressed: a held message, and a released one, is named by what it is, its
// receiver, and the znode that it is about.
func TestAddressed(t *testing.T) {
	s := &doctor.State{State: &model.State{Path: "/e", Members: []*model.Member{{Name: "birch", Session: 2}}}}
	for want, m := range map[string]model.Message{
		"the notification to birch, n_12 deleted":                  {Session: 2, Op: "notification", Event: "deleted", Path: "/e/guid-n_0000000012"},
		"the notification to birch, n_13 deleted":                  {Session: 2, Op: "notification", Event: "deleted", Path: "/e/196ad0d4520ff72a02c9c98a1b2c3d4e-n_0000000013"},
		"the notification to birch, the children of e changed":     {Session: 2, Op: "notification", Event: "children", Path: "/e"},
		"the notification to birch, its connection changed":        {Session: 2, Op: "notification"},
		"the reply to birch, getChildren":                          {Session: 2, Op: "getChildren", Path: "/e"},
		"the reply to birch, getData e-leader: NoNode":             {Session: 2, Op: "getData", Path: "/e-leader", Err: "NoNode"},
		"the reply to session " + ShortSession(3) + ", create n_7": {Session: 3, Op: "create", Path: "/e/n_0000000007"},
	} {
		if got := Addressed(s, &m); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
