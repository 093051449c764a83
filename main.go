// Electop shows a live ZooKeeper leader election in the terminal. See README.md, or electop --help.
package main

import (
	"context"
	"os"

	"electop/ui/cli"
)

func main() {
	os.Exit(cli.Run(context.Background(), os.Args[1:], cli.IO{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
}
