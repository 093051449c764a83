package modeltest

import "electop/model/dialect"

// UUID1 and UUID2 are guids with dashes, Hex1 and Hex2 guids without dashes.
const (
	UUID1 = "d17cae02-6c55-4f9f-b5d5-b82402ee572e"
	UUID2 = "381f220e-fef5-487f-ae4f-04ac14aaed1f"
	Hex1  = "7e04f85f07c84e2385b74d425234927c"
	Hex2  = "9cb226cb23864645aa23c5ee664203de"
)

func DialectID(d *dialect.Dialect) string {
	if d == nil {
		return "nobody's"
	}
	return d.ID
}
