// Command bare imports bubbletea and says that it is ready.
package main

import (
	"fmt"

	_ "github.com/charmbracelet/bubbletea"
)

func main() { fmt.Println("ready") }
