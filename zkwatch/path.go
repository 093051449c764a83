package zkwatch

import "regexp"

// ValidatePath says what is wrong with path as the path of a znode, by the
// rules of ZooKeeper's PathUtils, so that no server has to be asked.
func ValidatePath(path string) error { return validatePath(path) }

var ownName = regexp.MustCompile(`^[0-9a-f]{32}-n_[0-9]{10}$`)

// OwnName reports whether a child has the name that a [Candidate] creates.
// One that has not belongs to other software.
func OwnName(name string) bool { return ownName.MatchString(name) }
