// Package inspect is everything that is known of one candidate: its znode, its
// session and client, whom it watches, what it says of itself, its data.
package inspect
