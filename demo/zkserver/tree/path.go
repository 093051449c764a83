package tree

import "strings"

// validPath reports whether a node may have this path, by the rules of
// PathUtils.validatePath. Characters beyond the basic plane count as the
// surrogates that Java sees, and bytes that are no UTF-8 as U+FFFD; both are
// refused.
func validPath(path string) bool {
	if path == "" || path[0] != '/' {
		return false
	}
	if len(path) == 1 {
		return true
	}
	for name := range strings.SplitSeq(path[1:], "/") {
		if name == "" || name == "." || name == ".." {
			return false
		}
	}
	for _, r := range path {
		switch {
		case r <= 0x1f, r >= 0x7f && r <= 0x9f, r >= 0xd800 && r <= 0xf8ff, r >= 0xfff0:
			return false
		}
	}
	return true
}

// hasParent reports whether a path can be cut into parent and name.
func hasParent(path string) bool {
	return strings.IndexByte(path, '/') >= 0 && strings.IndexByte(path, 0) < 0
}

// split cuts a path that contains a slash at the last one. The parent of
// /a is "".
func split(path string) (parent, name string) {
	i := strings.LastIndexByte(path, '/')
	return path[:i], path[i+1:]
}

// protected reports whether path must not be deleted.
func protected(path string) bool {
	switch path {
	case "/", "/zookeeper", "/zookeeper/config", "/zookeeper/quota":
		return true
	}
	return false
}

func orRoot(path string) string {
	if path == "" {
		return "/"
	}
	return path
}
