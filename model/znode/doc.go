// Package znode has what znodes are made of, as plain values: names and the
// sequence numbers in them, stats, data of bounded length, zxids and session ids
// as people and machines read them.
//
// Anybody who can write to the cluster chooses names and data. [Safe] makes
// them fit for a terminal, a log or a message, and [SafeJSON] for a line of JSON;
// nothing else may.
package znode
