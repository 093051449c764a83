// Package discover finds the elections of a cluster.
//
// [Walk] visits the znodes below a root level by level and at a limited rate. It sets no watch.
// Package model recognises an election from the names of a znode's children, from a few of their
// reads, or from the path. Walk reports each election as [Found].
package discover
