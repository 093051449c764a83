// Package discover finds the elections of a cluster.
//
// [Walk] visits the znodes below a root level by level and at a limited rate. It sets no watch.
// Package dialect recognises an election from the names of a znode's children, from reads of a few
// children, or from the path. Walk reports each election as [Found].
package discover
