package observer

import "electop/model/znode"

// known is what the model got of an election's children.
type known struct {
	parent   int64             // czxid of their parent; 0: nothing is known
	children map[string]uint64 // with the number of the list that had the child last; 0: unread
	denied   map[string]bool   // those whose data may not be read
	lists    uint64
}

func newKnown() known {
	return known{children: make(map[string]uint64), denied: make(map[string]bool)}
}

func (k *known) has(name string) bool {
	_, ok := k.children[name]
	return ok
}

// forget forgets all children; those to come have a parent of that czxid.
func (k *known) forget(parent int64) {
	k.parent = parent
	clear(k.children)
	clear(k.denied)
}

// list takes a list of names, and returns those that are not known under this parent.
func (k *known) list(parent int64, names []string) (fresh []string) {
	k.lists++
	for _, name := range names {
		if parent == k.parent && k.children[name] != 0 {
			k.children[name] = k.lists
		} else {
			fresh = append(fresh, name)
		}
	}
	return fresh
}

// gone removes and returns the children that the last list did not have.
func (k *known) gone() (names []string) {
	for name, list := range k.children {
		if list != k.lists {
			names = append(names, name)
			k.remove(name)
		}
	}
	return names
}

func (k *known) add(z *znode.Znode) {
	k.children[z.Name] = k.lists
	if z.Unread { // a later list can only have another child of that name
		k.children[z.Name] = 0
	}
	if z.Data.Denied {
		k.denied[z.Name] = true
	}
}

func (k *known) remove(name string) {
	delete(k.children, name)
	delete(k.denied, name)
}
