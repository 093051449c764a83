// Package cli is electop's command line. Each command below has a file of its name, but electop itself is in cli.go
// and dashboard.go, lesson in demo.go, help in cli.go. Only main and tests import cli; cli may import all packages.
//
//	electop [PATH...]  demo  lesson  status  events  exporter  discover  doctor  campaign  check  replay  serve
//	info  man  help
//
// The parts of the commands are packages:
//
//	process    exit codes, goroutines, the terminal, the build of this process
//	config     the configuration file, and the origin of each setting
//	cluster    the flags of a cluster, connections to it, requests to its servers
//	election   watched elections: their recording, search and diagnosis, and how candidates join
//	exporter   the metrics of watched elections, over HTTP
//	command    the user's commands: for each handoff, or while a candidate leads
//	check      a test of another program's election
//	dashboard  the dashboard on live elections, and the lessons
//	help       flags under headings, help topics, manual pages
//
// Package ui draws the dashboard; package plain formats JSON and text.
package cli
