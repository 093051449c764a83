package wire

// A ConnectRequest opens or resumes a session. It is a client's first frame and has no header.
type ConnectRequest struct {
	ProtocolVersion int32
	LastZxidSeen    int64
	Timeout         int32 // requested, in milliseconds
	SessionID       int64 // 0 requests a new session
	Passwd          []byte
	ReadOnly        bool // the client accepts a read-only server, which has no quorum
	HasReadOnly     bool // the frame contains ReadOnly (ZooKeeper 3.4 and later)
}

func (r *ConnectRequest) Fields(c *Coder) {
	c.Int32(&r.ProtocolVersion)
	c.Int64(&r.LastZxidSeen)
	c.Int32(&r.Timeout)
	c.Int64(&r.SessionID)
	c.Buffer(&r.Passwd)
	c.readOnly(&r.ReadOnly, &r.HasReadOnly)
}

// A ConnectResponse answers a [ConnectRequest]. SessionID 0 means that the session cannot be resumed.
type ConnectResponse struct {
	ProtocolVersion int32
	Timeout         int32 // negotiated, in milliseconds
	SessionID       int64
	Passwd          []byte
	ReadOnly        bool
	HasReadOnly     bool // the frame contains ReadOnly (ZooKeeper 3.4 and later)
}

func (r *ConnectResponse) Fields(c *Coder) {
	c.Int32(&r.ProtocolVersion)
	c.Int32(&r.Timeout)
	c.Int64(&r.SessionID)
	c.Buffer(&r.Passwd)
	c.readOnly(&r.ReadOnly, &r.HasReadOnly)
}

func (c *Coder) readOnly(v, has *bool) {
	if c.reading {
		*v, *has = false, len(c.b) > 0
	}
	if *has {
		c.Bool(v)
	}
}

// A RequestHeader precedes every request except the [ConnectRequest].
type RequestHeader struct {
	Xid int32
	Op  Op
}

func (h *RequestHeader) Fields(c *Coder) {
	c.Int32(&h.Xid)
	c.Int32((*int32)(&h.Op))
}

// A ReplyHeader precedes every event, and every reply except the [ConnectResponse]. If Err is not
// OK, the rest of the frame has no meaning. In replies to auth and sasl, Zxid is 0. In replies to an unknown
// operation, and in events of a server before ZooKeeper 3.9, Zxid is -1.
type ReplyHeader struct {
	Xid  int32
	Zxid int64 // zxid of the last change that the server has applied
	Err  Code
}

func (h *ReplyHeader) Fields(c *Coder) {
	c.Int32(&h.Xid)
	c.Int64(&h.Zxid)
	c.Int32((*int32)(&h.Err))
}

// A WatcherEvent notifies a client that one of its watches fired.
type WatcherEvent struct {
	Type  int32 // one of the Event constants
	State int32 // StateConnected
	Path  string
}

func (e *WatcherEvent) Fields(c *Coder) {
	c.Int32(&e.Type)
	c.Int32(&e.State)
	c.Path(&e.Path)
}

// A Stat is a server's metadata of a znode. It is also the reply to exists, setData and setACL.
type Stat struct {
	Czxid          int64 // zxid of the creation
	Mzxid          int64 // zxid of the last change of the data
	Ctime          int64 // creation, milliseconds since 1970
	Mtime          int64 // last change of the data, milliseconds since 1970
	Version        int32 // number of changes of the data
	Cversion       int32 // number of creates and deletes of children; may overflow
	Aversion       int32 // number of changes of the ACL
	EphemeralOwner int64 // session id; 0 if the znode is not ephemeral
	DataLength     int32 // bytes
	NumChildren    int32
	Pzxid          int64 // zxid of the last create or delete of a child
}

func (s *Stat) Fields(c *Coder) {
	for _, v := range []*int64{&s.Czxid, &s.Mzxid, &s.Ctime, &s.Mtime} {
		c.Int64(v)
	}
	for _, v := range []*int32{&s.Version, &s.Cversion, &s.Aversion} {
		c.Int32(v)
	}
	c.Int64(&s.EphemeralOwner)
	c.Int32(&s.DataLength)
	c.Int32(&s.NumChildren)
	c.Int64(&s.Pzxid)
}

// An ID is an identity within an authentication scheme.
type ID struct {
	Scheme string // "world", "auth", "digest" or another scheme of the server
	ID     string
}

func (i *ID) Fields(c *Coder) {
	c.String(&i.Scheme)
	c.String(&i.ID)
}

// An ACL grants permissions to an ID.
type ACL struct {
	Perms int32
	ID    ID
}

func (a *ACL) Fields(c *Coder) {
	c.Int32(&a.Perms)
	a.ID.Fields(c)
}

func (c *Coder) acls(v *[]ACL) { vector(c, v, 12, func(a *ACL) { a.Fields(c) }) }

// A PathRequest is the request of getACL, sync and getAllChildrenNumber.
type PathRequest struct{ Path string }

func (r *PathRequest) Fields(c *Coder) { c.Path(&r.Path) }

// A PathWatchRequest is the request of exists, getData, getChildren and getChildren2.
type PathWatchRequest struct {
	Path  string
	Watch bool
}

func (r *PathWatchRequest) Fields(c *Coder) {
	c.Path(&r.Path)
	c.Bool(&r.Watch)
}

// A CreateRequest is the request of create, create2 and createContainer.
type CreateRequest struct {
	Path   string
	Data   []byte
	ACL    []ACL
	Flags  int32
	NoPath bool // the path is null, and Path is ""
}

func (r *CreateRequest) Fields(c *Coder) {
	c.Nullable(&r.Path, &r.NoPath)
	c.Buffer(&r.Data)
	c.acls(&r.ACL)
	c.Int32(&r.Flags)
}

// A SetACLRequest is the request of setACL. A null path reads as "".
type SetACLRequest struct {
	Path    string
	ACL     []ACL
	Version int32
}

func (r *SetACLRequest) Fields(c *Coder) {
	c.String(&r.Path)
	c.acls(&r.ACL)
	c.Int32(&r.Version)
}

// A WatcherTypeRequest is the request of checkWatches and removeWatches.
type WatcherTypeRequest struct {
	Path string
	Type int32 // WatcherChildren, WatcherData or WatcherAny
}

func (r *WatcherTypeRequest) Fields(c *Coder) {
	c.Path(&r.Path)
	c.Int32(&r.Type)
}

// An AddWatchRequest is the request of addWatch. A null path reads as "".
type AddWatchRequest struct {
	Path string
	Mode int32 // WatchPersistent or WatchPersistentRecursive
}

func (r *AddWatchRequest) Fields(c *Coder) {
	c.String(&r.Path)
	c.Int32(&r.Mode)
}

// A SetWatchesRequest is the request of setWatches.
type SetWatchesRequest struct {
	RelativeZxid int64 // the last zxid that the client saw
	Data         []string
	Exist        []string
	Child        []string
}

func (r *SetWatchesRequest) Fields(c *Coder) {
	c.Int64(&r.RelativeZxid)
	c.Paths(&r.Data)
	c.Paths(&r.Exist)
	c.Paths(&r.Child)
}

// A SetWatches2Request is the request of setWatches2. In Persistent and Recursive, a null string reads as "".
type SetWatches2Request struct {
	SetWatchesRequest
	Persistent []string
	Recursive  []string
}

func (r *SetWatches2Request) Fields(c *Coder) {
	r.SetWatchesRequest.Fields(c)
	c.list(&r.Persistent, c.String)
	c.list(&r.Recursive, c.String)
}

// A GetEphemeralsRequest is the request of getEphemerals. A null prefix reads as "".
type GetEphemeralsRequest struct{ Prefix string }

func (r *GetEphemeralsRequest) Fields(c *Coder) { c.String(&r.Prefix) }

// An AuthRequest is the request of auth, sent with [XidAuth].
type AuthRequest struct {
	Type   int32
	Scheme string
	Auth   []byte
}

func (r *AuthRequest) Fields(c *Coder) {
	c.Int32(&r.Type)
	c.String(&r.Scheme)
	c.Buffer(&r.Auth)
}

// A SASLToken is the request of sasl, and the reply to it.
type SASLToken struct{ Token []byte } // nil stands for null

func (r *SASLToken) Fields(c *Coder) { c.Buffer(&r.Token) }

// A PathResponse answers create and sync.
type PathResponse struct{ Path string }

func (r *PathResponse) Fields(c *Coder) { c.Path(&r.Path) }

// A CreateResponse answers create2, createContainer and createTTL.
type CreateResponse struct {
	Path string
	Stat Stat
}

func (r *CreateResponse) Fields(c *Coder) {
	c.Path(&r.Path)
	r.Stat.Fields(c)
}

// A DataResponse answers getData.
type DataResponse struct {
	Data []byte
	Stat Stat
}

func (r *DataResponse) Fields(c *Coder) {
	c.Buffer(&r.Data)
	r.Stat.Fields(c)
}

// A StringsResponse answers getChildren and getEphemerals.
type StringsResponse struct{ Strings []string }

func (r *StringsResponse) Fields(c *Coder) { c.Strings(&r.Strings) }

// A Children2Response answers getChildren2.
type Children2Response struct {
	Children []string
	Stat     Stat
}

func (r *Children2Response) Fields(c *Coder) {
	c.Strings(&r.Children)
	r.Stat.Fields(c)
}

// An ACLResponse answers getACL.
type ACLResponse struct {
	ACL  []ACL
	Stat Stat
}

func (r *ACLResponse) Fields(c *Coder) {
	c.acls(&r.ACL)
	r.Stat.Fields(c)
}

// A CountResponse answers getAllChildrenNumber.
type CountResponse struct{ Count int32 }

func (r *CountResponse) Fields(c *Coder) { c.Int32(&r.Count) }

// An ErrorResponse answers addWatch.
type ErrorResponse struct{ Err Code }

func (r *ErrorResponse) Fields(c *Coder) { c.Int32((*int32)(&r.Err)) }

// A WhoAmIResponse answers whoAmI. ID.ID is the user's name without any secret.
type WhoAmIResponse struct{ IDs []ID }

func (r *WhoAmIResponse) Fields(c *Coder) { vector(c, &r.IDs, 8, func(i *ID) { i.Fields(c) }) }

// A MultiOp is one operation of a [MultiRequest], or the request of delete, setData, check or any create.
type MultiOp struct {
	Op      Op
	Create  CreateRequest // create, create2, createContainer, createTTL
	TTL     int64         // createTTL; milliseconds
	Path    string        // delete, setData, check, getData, getChildren
	Data    []byte        // setData
	Version int32         // delete, setData, check; -1 matches any version
	Watch   bool          // getData, getChildren
	NoPath  bool          // the path is null, and Path is ""
}

// Reads reports whether o is a read. Only a multiRead can have reads.
func (o *MultiOp) Reads() bool { return o.Op == OpGetData || o.Op == OpGetChildren }

// Fields implements [Record]. If Op cannot be part of a multi, reading fails and writing appends nothing.
func (o *MultiOp) Fields(c *Coder) {
	switch o.Op {
	case OpCreate, OpCreate2, OpCreateContainer, OpCreateTTL:
		o.Create.Fields(c)
		if o.Op == OpCreateTTL {
			c.Int64(&o.TTL)
		}
	case OpDelete, OpCheck:
		c.Nullable(&o.Path, &o.NoPath)
		c.Int32(&o.Version)
	case OpSetData:
		c.Nullable(&o.Path, &o.NoPath)
		c.Buffer(&o.Data)
		c.Int32(&o.Version)
	case OpGetData, OpGetChildren:
		c.Nullable(&o.Path, &o.NoPath)
		c.Bool(&o.Watch)
	default:
		c.fail("operation in a multi: " + o.Op.String())
	}
}

type multiHeader struct {
	Op   Op
	Done bool
	Err  Code
}

func (h *multiHeader) Fields(c *Coder) {
	c.Int32((*int32)(&h.Op))
	c.Bool(&h.Done)
	c.Int32((*int32)(&h.Err))
}

// multi does not change a list that it encodes, because goroutines may share the list.
func multi[T any](c *Coder, list *[]T, header func(*T) (op *Op, err Code), element func(*T)) {
	if c.reading {
		*list = nil
	}
	for i := 0; ; i++ {
		h := multiHeader{Op: -1, Done: true, Err: -1}
		if i < len(*list) {
			op, err := header(&(*list)[i])
			h = multiHeader{Op: *op, Err: err}
		}
		if h.Fields(c); h.Done || c.err != nil {
			break
		}
		if c.reading {
			*list = append(*list, *new(T))
			op, _ := header(&(*list)[i])
			*op = h.Op
		}
		element(&(*list)[i])
	}
	if c.reading && c.err != nil {
		*list = nil
	}
}

// A MultiRequest is the request of multi (writes and checks, all or nothing)
// and of multiRead (getData and getChildren, each with its own result).
type MultiRequest struct{ Ops []MultiOp }

// Fields implements [Record]. Decoding fails if the list has both reads and other operations.
func (r *MultiRequest) Fields(c *Coder) {
	multi(c, &r.Ops, func(o *MultiOp) (*Op, Code) { return &o.Op, -1 }, func(o *MultiOp) {
		o.Fields(c)
		if c.reading && o.Reads() != r.Ops[0].Reads() {
			c.fail("reads and other operations in a multi")
		}
	})
}

// A MultiResult is the result of one operation. If Op is OpError, only Err is set. If one operation of a multi
// fails, all results of the multi have Op OpError. The result of a create of any kind has Op OpCreate or OpCreate2.
type MultiResult struct {
	Op       Op
	Err      Code
	Path     string // create, create2
	Stat     Stat   // create2, setData, getData
	Data     []byte // getData
	Children []string
}

func (m *MultiResult) Fields(c *Coder) {
	switch m.Op {
	case OpCreate:
		c.Path(&m.Path)
	case OpCreate2:
		c.Path(&m.Path)
		m.Stat.Fields(c)
	case OpDelete, OpCheck:
	case OpSetData:
		m.Stat.Fields(c)
	case OpGetData:
		c.Buffer(&m.Data)
		m.Stat.Fields(c)
	case OpGetChildren:
		c.Strings(&m.Children)
	case OpError:
		c.Int32((*int32)(&m.Err))
	default:
		c.fail("operation in a multi response: " + m.Op.String())
	}
}

// A MultiResponse answers multi and multiRead with one result for each operation.
type MultiResponse struct{ Results []MultiResult }

func (r *MultiResponse) Fields(c *Coder) {
	multi(c, &r.Results, func(m *MultiResult) (*Op, Code) { return &m.Op, m.Err }, func(m *MultiResult) { m.Fields(c) })
}
