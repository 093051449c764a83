// Package inspect shows everything that is known about one candidate: its znode, its
// session and client, what it watches, what it reports itself, its data.
package inspect
