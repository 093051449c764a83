package wire

import (
	"cmp"
	"fmt"
	"strconv"
)

// An Op is an operation code.
type Op int32

// The Op constants are the operations of ZooKeeper 3.8 (ZooDefs.OpCode). OpError is the result of a
// failed operation in a multi or multiRead.
const (
	OpNotification         Op = 0
	OpCreate               Op = 1
	OpDelete               Op = 2
	OpExists               Op = 3
	OpGetData              Op = 4
	OpSetData              Op = 5
	OpGetACL               Op = 6
	OpSetACL               Op = 7
	OpGetChildren          Op = 8
	OpSync                 Op = 9
	OpPing                 Op = 11
	OpGetChildren2         Op = 12
	OpCheck                Op = 13
	OpMulti                Op = 14
	OpCreate2              Op = 15
	OpReconfig             Op = 16
	OpCheckWatches         Op = 17
	OpRemoveWatches        Op = 18
	OpCreateContainer      Op = 19
	OpDeleteContainer      Op = 20
	OpCreateTTL            Op = 21
	OpMultiRead            Op = 22
	OpAuth                 Op = 100
	OpSetWatches           Op = 101
	OpSASL                 Op = 102
	OpGetEphemerals        Op = 103
	OpGetAllChildrenNumber Op = 104
	OpSetWatches2          Op = 105
	OpAddWatch             Op = 106
	OpWhoAmI               Op = 107
	OpCreateSession        Op = -10
	OpCloseSession         Op = -11
	OpError                Op = -1
)

var opNames = map[Op]string{
	OpNotification:         "notification",
	OpCreate:               "create",
	OpDelete:               "delete",
	OpExists:               "exists",
	OpGetData:              "getData",
	OpSetData:              "setData",
	OpGetACL:               "getACL",
	OpSetACL:               "setACL",
	OpGetChildren:          "getChildren",
	OpSync:                 "sync",
	OpPing:                 "ping",
	OpGetChildren2:         "getChildren2",
	OpCheck:                "check",
	OpMulti:                "multi",
	OpCreate2:              "create2",
	OpReconfig:             "reconfig",
	OpCheckWatches:         "checkWatches",
	OpRemoveWatches:        "removeWatches",
	OpCreateContainer:      "createContainer",
	OpDeleteContainer:      "deleteContainer",
	OpCreateTTL:            "createTTL",
	OpMultiRead:            "multiRead",
	OpAuth:                 "auth",
	OpSetWatches:           "setWatches",
	OpSASL:                 "sasl",
	OpGetEphemerals:        "getEphemerals",
	OpGetAllChildrenNumber: "getAllChildrenNumber",
	OpSetWatches2:          "setWatches2",
	OpAddWatch:             "addWatch",
	OpWhoAmI:               "whoAmI",
	OpCreateSession:        "createSession",
	OpCloseSession:         "closeSession",
	OpError:                "error",
}

// String returns the operation's name in ZooKeeper, or "op" and its number.
func (o Op) String() string {
	if name, ok := opNames[o]; ok {
		return name
	}
	return "op " + strconv.Itoa(int(o))
}

// The Xid constants are reserved xids.
const (
	XidWatch int32 = -1 // for a WatcherEvent, which answers no request
	XidPing  int32 = -2 // for a ping and its reply
	XidAuth  int32 = -4 // for an auth and its reply
)

// The Flag constants are values of [CreateRequest].Flags. Only the first two can be combined.
const (
	FlagEphemeral     int32 = 1
	FlagSequential    int32 = 2
	FlagContainer     int32 = 4
	FlagTTL           int32 = 5
	FlagTTLSequential int32 = 6
)

// The Perm constants are bits of [ACL].Perms.
const (
	PermRead int32 = 1 << iota
	PermWrite
	PermCreate
	PermDelete
	PermAdmin
	PermAll int32 = 0x1f
)

// The Watch constants are values of [AddWatchRequest].Mode.
const (
	WatchPersistent          int32 = 0
	WatchPersistentRecursive int32 = 1
)

// The Watcher constants are values of [WatcherTypeRequest].Type.
const (
	WatcherChildren int32 = 1
	WatcherData     int32 = 2
	WatcherAny      int32 = 3
)

// The Event constants are values of [WatcherEvent].Type.
const (
	EventNodeCreated         int32 = 1
	EventNodeDeleted         int32 = 2
	EventNodeDataChanged     int32 = 3
	EventNodeChildrenChanged int32 = 4
)

// StateConnected is the state that servers put into every [WatcherEvent].
const StateConnected int32 = 3

// A Code is an error code.
type Code int32

// The Code constants are some of the codes in KeeperException.Code.
const (
	OK                      Code = 0
	RuntimeInconsistency    Code = -2
	MarshallingError        Code = -5
	Unimplemented           Code = -6
	BadArguments            Code = -8
	NoNode                  Code = -101
	NoAuth                  Code = -102
	BadVersion              Code = -103
	NoChildrenForEphemerals Code = -108
	NodeExists              Code = -110
	NotEmpty                Code = -111
	InvalidACL              Code = -114
	AuthFailed              Code = -115
	NoWatcher               Code = -121
	ReconfigDisabled        Code = -123
	AuthRequired            Code = -124 // SESSIONCLOSEDREQUIRESASLAUTH in ZooKeeper
	QuotaExceeded           Code = -125
)

var codeNames = map[Code]string{
	OK:                      "OK",
	RuntimeInconsistency:    "RuntimeInconsistency",
	MarshallingError:        "MarshallingError",
	Unimplemented:           "Unimplemented",
	BadArguments:            "BadArguments",
	NoNode:                  "NoNode",
	NoAuth:                  "NoAuth",
	BadVersion:              "BadVersion",
	NoChildrenForEphemerals: "NoChildrenForEphemerals",
	NodeExists:              "NodeExists",
	NotEmpty:                "NotEmpty",
	InvalidACL:              "InvalidACL",
	AuthFailed:              "AuthFailed",
	NoWatcher:               "NoWatcher",
	ReconfigDisabled:        "ReconfigDisabled",
	AuthRequired:            "AuthRequired",
	QuotaExceeded:           "QuotaExceeded",
}

// Error returns the code's name and number.
func (c Code) Error() string {
	return fmt.Sprintf("zookeeper: %s (%d)", cmp.Or(codeNames[c], "Unknown"), int32(c))
}
