package wire

// A ConnectRequest opens or resumes a session. It is a client's first frame
// and has no header.
type ConnectRequest struct {
	ProtocolVersion int32
	LastZxidSeen    int64
	Timeout         int32 // asked for, milliseconds
	SessionID       int64 // 0 asks for a new session
	Passwd          []byte
	ReadOnly        bool // a server without a quorum will do
	HasReadOnly     bool // whether the trailing byte is present (3.4 on)
}

func (r *ConnectRequest) Append(b []byte) []byte {
	b = AppendInt32(b, r.ProtocolVersion)
	b = AppendInt64(b, r.LastZxidSeen)
	b = AppendInt32(b, r.Timeout)
	b = AppendInt64(b, r.SessionID)
	b = AppendBuffer(b, r.Passwd)
	if r.HasReadOnly {
		b = appendBool(b, r.ReadOnly)
	}
	return b
}

func (r *ConnectRequest) Decode(d *Decoder) {
	*r = ConnectRequest{
		ProtocolVersion: d.Int32(), LastZxidSeen: d.Int64(), Timeout: d.Int32(),
		SessionID: d.Int64(), Passwd: d.Buffer(),
	}
	if r.HasReadOnly = len(d.b) > 0; r.HasReadOnly {
		r.ReadOnly = d.Bool()
	}
}

// A ConnectResponse answers a [ConnectRequest]. SessionID 0 says that the
// session asked for is gone.
type ConnectResponse struct {
	ProtocolVersion int32
	Timeout         int32 // negotiated, milliseconds
	SessionID       int64
	Passwd          []byte
	ReadOnly        bool
	HasReadOnly     bool // whether the trailing byte is present (3.4 on)
}

func (r *ConnectResponse) Append(b []byte) []byte {
	b = AppendInt32(b, r.ProtocolVersion)
	b = AppendInt32(b, r.Timeout)
	b = AppendInt64(b, r.SessionID)
	b = AppendBuffer(b, r.Passwd)
	if r.HasReadOnly {
		b = appendBool(b, r.ReadOnly)
	}
	return b
}

func (r *ConnectResponse) Decode(d *Decoder) {
	*r = ConnectResponse{
		ProtocolVersion: d.Int32(), Timeout: d.Int32(), SessionID: d.Int64(), Passwd: d.Buffer(),
	}
	if r.HasReadOnly = len(d.b) > 0; r.HasReadOnly {
		r.ReadOnly = d.Bool()
	}
}

// A RequestHeader precedes every request.
type RequestHeader struct {
	Xid int32
	Op  Op
}

func (h *RequestHeader) Append(b []byte) []byte {
	b = AppendInt32(b, h.Xid)
	return AppendInt32(b, int32(h.Op))
}

func (h *RequestHeader) Decode(d *Decoder) {
	*h = RequestHeader{Xid: d.Int32(), Op: Op(d.Int32())}
}

// A ReplyHeader precedes every reply and every event. With an Err other than
// OK nothing follows.
type ReplyHeader struct {
	Xid  int32
	Zxid int64 // the last change the server had applied; -1 in events
	Err  Code
}

func (h *ReplyHeader) Append(b []byte) []byte {
	b = AppendInt32(b, h.Xid)
	b = AppendInt64(b, h.Zxid)
	return AppendInt32(b, int32(h.Err))
}

func (h *ReplyHeader) Decode(d *Decoder) {
	*h = ReplyHeader{Xid: d.Int32(), Zxid: d.Int64(), Err: Code(d.Int32())}
}

// A WatcherEvent tells a client that a watch of its fired. It follows a
// [ReplyHeader] with [XidWatch].
type WatcherEvent struct {
	Type  int32 // EventNodeCreated and so on
	State int32 // StateConnected
	Path  string
}

func (e *WatcherEvent) Append(b []byte) []byte {
	b = AppendInt32(b, e.Type)
	b = AppendInt32(b, e.State)
	return AppendString(b, e.Path)
}

func (e *WatcherEvent) Decode(d *Decoder) {
	*e = WatcherEvent{Type: d.Int32(), State: d.Int32(), Path: d.Path()}
}
