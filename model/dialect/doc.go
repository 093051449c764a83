// Package dialect knows how systems run their elections.
//
// A [Recipe] is the rule: which children contend, in which order, how many hold
// the role, and whom each contender should watch. A [Dialect] is how one system
// writes that rule into znodes: what the children are called, who a candidate is,
// which znode acknowledges. [Recognise] finds the system by the names of the
// children, their data, and the numbers that ZooKeeper can have given them.
//
//	recipe.go    ZooKeeper's election, and the herd variant: order, watches, target
//	locks.go     read and write locks       leases.go   semaphores
//	dialect.go   what a dialect is
//	table.go     the dialects: one entry is one system
//	curator.go   those of Curator, and of what is built on it
//	singles.go   those whose leader has the only znode
//	registry.go  members of groups, which look like candidates and are none
//	unknown.go   numbered children of no known system: an election on evidence only
//	evidence.go  what a directory shows     recognise.go whose election that is
//	lookup.go    dialects by ID and by path, and what is to be read besides
//	doubt.go     why the children do not show a leader
//	name.go      patterns of names          who.go      who a candidate is
//
// To teach electop another system, add an entry to table.go or to one of the two files
// below it (to registry.go, if nobody leads there) and an example to dialect_test.go. A
// new recipe is a new file and a new [Recipe].
package dialect
