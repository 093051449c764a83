// Package discover finds the elections of a cluster, and other recipes such as queues and groups.
//
// [Walk] visits znodes at and below a root, level by level and at a limited rate. Package dialect recognises their
// system from paths, names and a few reads. Package model explains "a leader's own znode".
package discover
