package doctor

import (
	"cmp"
	"slices"

	"electop/model/session"
	"electop/model/znode"
)

// rolloverNear is a lower half of a zxid. From there, a thousand writes a second reach ffffffff in three days.
const rolloverNear = 0xf0000000

func zxidRollover(r *ruleRun) {
	all := answered(r.s.Table)
	if len(all) == 0 {
		return
	}
	top := slices.MaxFunc(all, func(a, b *session.Server) int { return cmp.Compare(uint64(a.Zxid), uint64(b.Zxid)) })
	if uint32(top.Zxid) >= rolloverNear {
		r.find(rollover, "").because("%s is at zxid %s; the lower half ends at ffffffff", safe(top.Addr), znode.Zxid(top.Zxid))
	}
}
