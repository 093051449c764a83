package wire

import (
	"cmp"
	"fmt"
)

// A Code is the error field of a reply. OK is not an error: turn a header's
// code into one with [Code.Err].
type Code int32

// The codes of KeeperException.Code that the embedded server or the client needs.
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
	AuthRequired            Code = -124 // SESSIONCLOSEDREQUIRESASLAUTH
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

// Err returns c as an error, nil when it is OK.
func (c Code) Err() error {
	if c == OK {
		return nil
	}
	return c
}
