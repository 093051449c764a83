// Package discover finds the elections of a cluster, and other recipes such as queues and groups.
//
// [Walk] visits the znodes below a root level by level and at a limited rate. It sets no watch. Package
// dialect recognises the system from paths, names and a few reads.
package discover
