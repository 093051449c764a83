// Package cli is electop's command line: it reads flags, puts the parts
// together and turns errors into exit codes. It is the one package, besides
// main, that knows all the others.
//
//	electop [PATH...]  demo  status  events  discover  doctor  campaign  replay  serve
//
// Every command is the same few parts, differently joined: a cluster (a live
// one or the embedded server), observers that share a session, an asker who
// asks the servers about themselves (package admin), perhaps a cast of
// candidates, a feed for each election between these and the reader, and the
// reader: the dashboard (package ui), JSON or text (package plain).
package cli
