// Package elections is the screen of elections: those that are watched, and
// those that a search found on the cluster.
package elections
