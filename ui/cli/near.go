package cli

import (
	"context"
	"fmt"

	"electop/model/doctor"
	"electop/model/znode"
	"electop/ui/cli/search"
	"electop/ui/plain"
	"electop/zkwatch/client"
)

// electionsBelow says which elections are below the path of s, where the path may be
// a parent of elections instead of one: it has children, and no candidate is among
// them. It is "" where nothing is to be said.
func electionsBelow(ctx context.Context, conn *client.Conn, s *doctor.State) (string, error) {
	if s.Queue.Len() > 0 || s.Parent.Children == 0 {
		return "", nil
	}
	near := search.New(search.Near(s.Path))
	if err := near.Run(ctx, conn); err != nil {
		return "", err
	}
	text := plain.Below(near.Discovery().Elections)
	if text == "" {
		return "", nil
	}
	return fmt.Sprintf("no election at %s. Below it: %s", znode.Safe(s.Path, 0), text), nil
}

// noteBelow notes what [electionsBelow] says, by a connection of its own. It is a hint:
// where the search fails there is none.
func (o *options) noteBelow(ctx context.Context, cfg client.Config, s *doctor.State, std IO) {
	if !s.ElectionUnseen() {
		return
	}
	_ = o.cluster.Do(ctx, cfg, func(wait context.Context, conn *client.Conn) error {
		text, err := electionsBelow(wait, conn, s)
		if text != "" {
			std.note("%s", text)
		}
		return err
	})
}
