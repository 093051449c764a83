package flaggroup

import (
	"errors"

	"github.com/spf13/cobra"
)

// RemovedType is the type of a flag that no longer exists.
const RemovedType = "removed"

type removed string

func (r removed) String() string   { return "" }
func (r removed) Set(string) error { return errors.New(string(r)) }
func (r removed) Type() string     { return RemovedType }

// Removed makes cmd refuse a flag that no longer exists, and say what replaces it.
func Removed(cmd *cobra.Command, name, instead string) {
	f := cmd.Flags().VarPF(removed("--"+name+" was removed: "+instead), name, "", "")
	f.Hidden, f.NoOptDefVal = true, "true"
}
