// Command cured imports bubbletea and the package under test, and says that it
// is ready.
package main

import (
	"fmt"

	_ "github.com/charmbracelet/bubbletea"

	_ "electop/ui/background"
)

func main() { fmt.Println("ready") }
