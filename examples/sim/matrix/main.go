// Matrix prints which players can play on which servers: package transport with its own timing, with the timing
// of the game, and a peer like OpenBC.
//
//	go run -C examples ./sim/matrix [-write]
//
// With -write, it writes the table into sim/README.md.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/bcwire/bcwire/examples/sim/internal/document"
	"github.com/bcwire/bcwire/examples/sim/simulation"
)

func main() {
	write := flag.Bool("write", false, "write the table into "+document.File)
	flag.Parse()
	table, err := simulation.Matrix()
	fmt.Println(table)
	if *write && err == nil {
		err = document.Replace(document.File, "matrix", table)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "matrix:", err)
		os.Exit(1)
	}
}
