package wire

// Replies without a body (delete, ping, auth, setWatches, setWatches2,
// checkWatches, removeWatches, closeSession) need no type. exists, setData and
// setACL answer with a [Stat].

// A PathResponse answers create and sync.
type PathResponse struct{ Path string }

func (r *PathResponse) Append(b []byte) []byte { return AppendString(b, r.Path) }
func (r *PathResponse) Decode(d *Decoder)      { r.Path = d.Path() }

// A CreateResponse answers create2, createContainer and createTTL.
type CreateResponse struct {
	Path string
	Stat Stat
}

func (r *CreateResponse) Append(b []byte) []byte { return r.Stat.Append(AppendString(b, r.Path)) }

func (r *CreateResponse) Decode(d *Decoder) {
	r.Path = d.Path()
	r.Stat.Decode(d)
}

// A DataResponse answers getData.
type DataResponse struct {
	Data []byte // aliases the decoder's input
	Stat Stat
}

func (r *DataResponse) Append(b []byte) []byte { return r.Stat.Append(AppendBuffer(b, r.Data)) }

func (r *DataResponse) Decode(d *Decoder) {
	r.Data = d.Buffer()
	r.Stat.Decode(d)
}

// A StringsResponse answers getChildren and getEphemerals.
type StringsResponse struct{ Strings []string }

func (r *StringsResponse) Append(b []byte) []byte { return appendStrings(b, r.Strings) }
func (r *StringsResponse) Decode(d *Decoder)      { r.Strings = d.Strings() }

// A Children2Response answers getChildren2.
type Children2Response struct {
	Children []string
	Stat     Stat
}

func (r *Children2Response) Append(b []byte) []byte {
	return r.Stat.Append(appendStrings(b, r.Children))
}

func (r *Children2Response) Decode(d *Decoder) {
	r.Children = d.Strings()
	r.Stat.Decode(d)
}

// An ACLResponse answers getACL.
type ACLResponse struct {
	ACL  []ACL
	Stat Stat
}

func (r *ACLResponse) Append(b []byte) []byte { return r.Stat.Append(appendACLs(b, r.ACL)) }

func (r *ACLResponse) Decode(d *Decoder) {
	r.ACL = decodeACLs(d)
	r.Stat.Decode(d)
}

// A CountResponse answers getAllChildrenNumber.
type CountResponse struct{ Count int32 }

func (r *CountResponse) Append(b []byte) []byte { return AppendInt32(b, r.Count) }
func (r *CountResponse) Decode(d *Decoder)      { r.Count = d.Int32() }

// An ErrorResponse answers addWatch, and stands for a failed operation in a
// [MultiResponse].
type ErrorResponse struct{ Err Code }

func (r *ErrorResponse) Append(b []byte) []byte { return AppendInt32(b, int32(r.Err)) }
func (r *ErrorResponse) Decode(d *Decoder)      { r.Err = Code(d.Int32()) }

// A WhoAmIResponse answers whoAmI: what the connection is authenticated as.
// ID.ID holds the user's name without any secret.
type WhoAmIResponse struct{ IDs []ID }

func (r *WhoAmIResponse) Append(b []byte) []byte {
	b = AppendInt32(b, int32(len(r.IDs)))
	for _, id := range r.IDs {
		b = AppendString(AppendString(b, id.Scheme), id.ID)
	}
	return b
}

func (r *WhoAmIResponse) Decode(d *Decoder) {
	r.IDs = nil
	for range d.count(8, "client infos") {
		r.IDs = append(r.IDs, ID{Scheme: d.String(), ID: d.String()})
	}
	if d.err != nil {
		r.IDs = nil
	}
}
