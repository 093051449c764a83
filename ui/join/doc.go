// Package join says how programs of the user's own take part in an election.
package join
