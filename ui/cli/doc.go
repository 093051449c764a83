// Package cli is electop's command line: it reads flags, puts the parts
// together and turns errors into exit codes. It is the one package, besides
// main, that knows all the others.
//
//	electop [PATH]  demo  status  events  campaign  replay  serve
//
// Every command is the same few parts, differently joined: a cluster (a live
// one or the embedded server), an observer, perhaps a cast of candidates, a
// feed between them and the reader, and the reader: the dashboard (package
// ui), JSON or text (package plain).
package cli
