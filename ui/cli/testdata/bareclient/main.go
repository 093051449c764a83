// A bare client that reads an election once, without waiting for anything that the reading
// does not need: connect, getChildren, a getData for each child.
package main

import (
	"fmt"
	"io"
	"log"
	"os"
	"time"

	"github.com/go-zookeeper/zk"
)

func main() {
	if err := read(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func read(addr, path string) error {
	log.SetOutput(io.Discard)
	// Twice the same address: with one the library waits a second before it tries again.
	c, _, err := zk.Connect([]string{addr, addr}, 10*time.Second)
	if err != nil {
		return err
	}
	defer c.Close()
	children, _, err := c.Children(path)
	if err != nil {
		return err
	}
	for _, name := range children {
		if _, _, err := c.Get(path + "/" + name); err != nil {
			return err
		}
	}
	fmt.Println(len(children))
	return nil
}
