// Matrix prints which players can play on which servers: package transport with its own timing, with the timing
// of the game, and a peer like OpenBC.
//
//	go run ./examples/lab/matrix [-write]
//	go run ./examples/lab/matrix -addr IP:PORT
//
// With -write, it writes the table into examples/lab/sim/README.md. With -addr, two players play the cases on any
// server in real time, which takes about eleven minutes. Their sockets are on 127.0.0.1.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/bcwire/bcwire/examples/lab/internal/document"
	"github.com/bcwire/bcwire/examples/lab/sim/simulation"
)

func main() {
	write := flag.Bool("write", false, "write the table into "+document.File)
	addr := flag.String("addr", "", "play on the server at `IP:PORT`, which nobody else uses")
	flag.Parse()
	var table string
	var err error
	if *addr != "" {
		table, err = playAt(context.Background(), *addr)
	} else {
		table, err = simulation.Matrix()
	}
	fmt.Println(table)
	if *write && *addr == "" && err == nil {
		err = document.Replace(document.File, "matrix", table)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "matrix:", err)
		os.Exit(1)
	}
}
