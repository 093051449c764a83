package wire

// Several operations share the shape of their request; one type serves them
// all. An operation that is not mentioned here (ping, closeSession, whoAmI)
// has an empty request.

// A PathRequest asks about one path: getACL, sync and getAllChildrenNumber.
type PathRequest struct{ Path string }

func (r *PathRequest) Append(b []byte) []byte { return AppendString(b, r.Path) }
func (r *PathRequest) Decode(d *Decoder)      { r.Path = d.Path() }

// A PathWatchRequest reads a path and may leave a watch: exists, getData,
// getChildren and getChildren2.
type PathWatchRequest struct {
	Path  string
	Watch bool
}

func (r *PathWatchRequest) Append(b []byte) []byte {
	return appendBool(AppendString(b, r.Path), r.Watch)
}

func (r *PathWatchRequest) Decode(d *Decoder) {
	*r = PathWatchRequest{Path: d.Path(), Watch: d.Bool()}
}

// A PathVersionRequest names a path at a version: delete and check. Version
// -1 matches any.
type PathVersionRequest struct {
	Path    string
	Version int32
}

func (r *PathVersionRequest) Append(b []byte) []byte {
	return AppendInt32(AppendString(b, r.Path), r.Version)
}

func (r *PathVersionRequest) Decode(d *Decoder) {
	*r = PathVersionRequest{Path: d.Path(), Version: d.Int32()}
}

// A CreateRequest is the request of create, create2 and createContainer.
type CreateRequest struct {
	Path  string
	Data  []byte // aliases the decoder's input
	ACL   []ACL
	Flags int32
	// NoPath says that there was null in place of the path, which reads as "".
	NoPath bool
}

func (r *CreateRequest) Append(b []byte) []byte {
	if r.NoPath {
		b = AppendInt32(b, -1)
	} else {
		b = AppendString(b, r.Path)
	}
	b = AppendBuffer(b, r.Data)
	b = appendACLs(b, r.ACL)
	return AppendInt32(b, r.Flags)
}

func (r *CreateRequest) Decode(d *Decoder) {
	*r = CreateRequest{NoPath: d.null(), Path: d.String(), Data: d.Buffer(), ACL: decodeACLs(d), Flags: d.Int32()}
}

// A CreateTTLRequest is the request of createTTL.
type CreateTTLRequest struct {
	CreateRequest
	TTL int64 // milliseconds
}

func (r *CreateTTLRequest) Append(b []byte) []byte {
	return AppendInt64(r.CreateRequest.Append(b), r.TTL)
}

func (r *CreateTTLRequest) Decode(d *Decoder) {
	r.CreateRequest.Decode(d)
	r.TTL = d.Int64()
}

// A SetDataRequest is the request of setData.
type SetDataRequest struct {
	Path    string
	Data    []byte // aliases the decoder's input
	Version int32
}

func (r *SetDataRequest) Append(b []byte) []byte {
	return AppendInt32(AppendBuffer(AppendString(b, r.Path), r.Data), r.Version)
}

// Decode reads a null path as "".
func (r *SetDataRequest) Decode(d *Decoder) {
	*r = SetDataRequest{Path: d.String(), Data: d.Buffer(), Version: d.Int32()}
}

// A SetACLRequest is the request of setACL.
type SetACLRequest struct {
	Path    string
	ACL     []ACL
	Version int32
}

func (r *SetACLRequest) Append(b []byte) []byte {
	return AppendInt32(appendACLs(AppendString(b, r.Path), r.ACL), r.Version)
}

// Decode reads a null path as "".
func (r *SetACLRequest) Decode(d *Decoder) {
	*r = SetACLRequest{Path: d.String(), ACL: decodeACLs(d), Version: d.Int32()}
}

// A WatcherTypeRequest is the request of checkWatches and removeWatches.
type WatcherTypeRequest struct {
	Path string
	Type int32 // WatcherChildren, WatcherData or WatcherAny
}

func (r *WatcherTypeRequest) Append(b []byte) []byte {
	return AppendInt32(AppendString(b, r.Path), r.Type)
}

func (r *WatcherTypeRequest) Decode(d *Decoder) {
	*r = WatcherTypeRequest{Path: d.Path(), Type: d.Int32()}
}

// An AddWatchRequest is the request of addWatch.
type AddWatchRequest struct {
	Path string
	Mode int32 // WatchPersistent or WatchPersistentRecursive
}

func (r *AddWatchRequest) Append(b []byte) []byte {
	return AppendInt32(AppendString(b, r.Path), r.Mode)
}

// Decode reads a null path as "".
func (r *AddWatchRequest) Decode(d *Decoder) {
	*r = AddWatchRequest{Path: d.String(), Mode: d.Int32()}
}

// A SetWatchesRequest restores a client's watches on a new connection:
// setWatches.
type SetWatchesRequest struct {
	RelativeZxid int64 // the last zxid the client saw
	Data         []string
	Exist        []string
	Child        []string
}

func (r *SetWatchesRequest) Append(b []byte) []byte {
	b = AppendInt64(b, r.RelativeZxid)
	b = appendStrings(b, r.Data)
	b = appendStrings(b, r.Exist)
	return appendStrings(b, r.Child)
}

func (r *SetWatchesRequest) Decode(d *Decoder) {
	*r = SetWatchesRequest{RelativeZxid: d.Int64(), Data: d.Paths(), Exist: d.Paths(), Child: d.Paths()}
}

// A SetWatches2Request is the request of setWatches2: persistent watches too.
type SetWatches2Request struct {
	SetWatchesRequest
	Persistent []string
	Recursive  []string
}

func (r *SetWatches2Request) Append(b []byte) []byte {
	b = r.SetWatchesRequest.Append(b)
	b = appendStrings(b, r.Persistent)
	return appendStrings(b, r.Recursive)
}

// Decode reads null as "" in the lists of persistent watches.
func (r *SetWatches2Request) Decode(d *Decoder) {
	r.SetWatchesRequest.Decode(d)
	r.Persistent = d.list(d.String)
	r.Recursive = d.list(d.String)
}

// A GetEphemeralsRequest is the request of getEphemerals.
type GetEphemeralsRequest struct{ Prefix string }

func (r *GetEphemeralsRequest) Append(b []byte) []byte { return AppendString(b, r.Prefix) }

// Decode reads a null prefix as "".
func (r *GetEphemeralsRequest) Decode(d *Decoder) { r.Prefix = d.String() }

// An AuthRequest is the request of auth, sent with [XidAuth].
type AuthRequest struct {
	Type   int32
	Scheme string
	Auth   []byte
}

func (r *AuthRequest) Append(b []byte) []byte {
	return AppendBuffer(AppendString(AppendInt32(b, r.Type), r.Scheme), r.Auth)
}

func (r *AuthRequest) Decode(d *Decoder) {
	*r = AuthRequest{Type: d.Int32(), Scheme: d.String(), Auth: d.Buffer()}
}

// A SASLToken is the request of sasl, and the reply to it.
type SASLToken struct{ Token []byte } // aliases the decoder's input; nil: null

func (r *SASLToken) Append(b []byte) []byte { return AppendBuffer(b, r.Token) }
func (r *SASLToken) Decode(d *Decoder)      { r.Token = d.Buffer() }
