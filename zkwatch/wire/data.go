package wire

// A Stat is what a server tells about a znode.
type Stat struct {
	Czxid          int64 // zxid of the creation
	Mzxid          int64 // zxid of the last change of the data
	Ctime          int64 // creation, milliseconds since 1970
	Mtime          int64 // last change of the data, milliseconds since 1970
	Version        int32 // changes of the data
	Cversion       int32 // creates and deletes of children, wrapping
	Aversion       int32 // changes of the ACL
	EphemeralOwner int64 // session id; 0 unless ephemeral
	DataLength     int32 // bytes
	NumChildren    int32
	Pzxid          int64 // zxid of the last create or delete of a child
}

func (s *Stat) Append(b []byte) []byte {
	b = AppendInt64(b, s.Czxid)
	b = AppendInt64(b, s.Mzxid)
	b = AppendInt64(b, s.Ctime)
	b = AppendInt64(b, s.Mtime)
	b = AppendInt32(b, s.Version)
	b = AppendInt32(b, s.Cversion)
	b = AppendInt32(b, s.Aversion)
	b = AppendInt64(b, s.EphemeralOwner)
	b = AppendInt32(b, s.DataLength)
	b = AppendInt32(b, s.NumChildren)
	return AppendInt64(b, s.Pzxid)
}

func (s *Stat) Decode(d *Decoder) {
	*s = Stat{
		Czxid: d.Int64(), Mzxid: d.Int64(), Ctime: d.Int64(), Mtime: d.Int64(),
		Version: d.Int32(), Cversion: d.Int32(), Aversion: d.Int32(),
		EphemeralOwner: d.Int64(), DataLength: d.Int32(), NumChildren: d.Int32(),
		Pzxid: d.Int64(),
	}
}

// An ID names somebody within an authentication scheme.
type ID struct {
	Scheme string // "world", "auth", "digest", "ip"
	ID     string
}

// An ACL grants permissions to an ID.
type ACL struct {
	Perms int32
	ID    ID
}

func appendACLs(b []byte, acls []ACL) []byte {
	b = AppendInt32(b, int32(len(acls)))
	for _, a := range acls {
		b = AppendInt32(b, a.Perms)
		b = AppendString(b, a.ID.Scheme)
		b = AppendString(b, a.ID.ID)
	}
	return b
}

func decodeACLs(d *Decoder) []ACL {
	n := d.count(12, "ACLs")
	if n == 0 {
		return nil
	}
	acls := make([]ACL, 0, n)
	for range n {
		acls = append(acls, ACL{Perms: d.Int32(), ID: ID{Scheme: d.String(), ID: d.String()}})
	}
	if d.err != nil {
		return nil
	}
	return acls
}
