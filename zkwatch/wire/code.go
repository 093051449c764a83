package wire

import "fmt"

// A Code is the error field of a reply. OK is not an error: turn a header's
// code into one with [Code.Err].
type Code int32

// The codes of KeeperException.Code.
const (
	OK                       Code = 0
	SystemError              Code = -1
	RuntimeInconsistency     Code = -2
	DataInconsistency        Code = -3
	ConnectionLoss           Code = -4
	MarshallingError         Code = -5
	Unimplemented            Code = -6
	OperationTimeout         Code = -7
	BadArguments             Code = -8
	APIError                 Code = -100
	NoNode                   Code = -101
	NoAuth                   Code = -102
	BadVersion               Code = -103
	NoChildrenForEphemerals  Code = -108
	NodeExists               Code = -110
	NotEmpty                 Code = -111
	SessionExpired           Code = -112
	InvalidCallback          Code = -113
	InvalidACL               Code = -114
	AuthFailed               Code = -115
	SessionMoved             Code = -118
	NotReadOnly              Code = -119
	EphemeralOnLocalSession  Code = -120
	NoWatcher                Code = -121
	RequestTimeout           Code = -122
	ReconfigDisabled         Code = -123
	SessionClosedRequireAuth Code = -124
	QuotaExceeded            Code = -125
	ThrottledOp              Code = -127
)

func (c Code) name() string {
	switch c {
	case OK:
		return "OK"
	case SystemError:
		return "SystemError"
	case RuntimeInconsistency:
		return "RuntimeInconsistency"
	case DataInconsistency:
		return "DataInconsistency"
	case ConnectionLoss:
		return "ConnectionLoss"
	case MarshallingError:
		return "MarshallingError"
	case Unimplemented:
		return "Unimplemented"
	case OperationTimeout:
		return "OperationTimeout"
	case BadArguments:
		return "BadArguments"
	case APIError:
		return "APIError"
	case NoNode:
		return "NoNode"
	case NoAuth:
		return "NoAuth"
	case BadVersion:
		return "BadVersion"
	case NoChildrenForEphemerals:
		return "NoChildrenForEphemerals"
	case NodeExists:
		return "NodeExists"
	case NotEmpty:
		return "NotEmpty"
	case SessionExpired:
		return "SessionExpired"
	case InvalidCallback:
		return "InvalidCallback"
	case InvalidACL:
		return "InvalidACL"
	case AuthFailed:
		return "AuthFailed"
	case SessionMoved:
		return "SessionMoved"
	case NotReadOnly:
		return "NotReadOnly"
	case EphemeralOnLocalSession:
		return "EphemeralOnLocalSession"
	case NoWatcher:
		return "NoWatcher"
	case RequestTimeout:
		return "RequestTimeout"
	case ReconfigDisabled:
		return "ReconfigDisabled"
	case SessionClosedRequireAuth:
		return "SessionClosedRequireAuth"
	case QuotaExceeded:
		return "QuotaExceeded"
	case ThrottledOp:
		return "ThrottledOp"
	}
	return "Unknown"
}

// Error returns the code's name and number.
func (c Code) Error() string {
	return fmt.Sprintf("zookeeper: %s (%d)", c.name(), int32(c))
}

// Err returns c as an error, nil when it is OK.
func (c Code) Err() error {
	if c == OK {
		return nil
	}
	return c
}
