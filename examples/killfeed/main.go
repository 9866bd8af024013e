// Killfeed prints who destroys whom in a recording, with the time in seconds and the weapon:
//
//	$ go run ./examples/killfeed testdata/battle.jsonl
//	   17.626  Dee destroys Cid (collision)
//	   20.208  Cid destroys Dee (collision)
//
// Servers and proxies record datagrams as JSON lines; see package transport/recording. Without a file, Killfeed
// reads standard input.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"strings"
	"time"
	"unicode"

	"github.com/bcwire/bcwire/match"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("killfeed: ")
	follow := flag.Bool("follow", false, "at the end of the file, wait for more until an interrupt")
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), "Usage: killfeed [-follow] [FILE]\n\nKillfeed prints who destroys whom in a recording of JSON lines.\nFor other captures, use dump -events.\n\n")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() > 1 {
		log.Printf("%q: unexpected argument; -h lists the flags", flag.Arg(1))
		os.Exit(2)
	}
	var input io.Reader = os.Stdin
	if flag.NArg() == 1 {
		file, err := os.Open(flag.Arg(0))
		if err != nil {
			log.Fatal(err)
		}
		input = file
	}
	if *follow {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
		context.AfterFunc(ctx, stop) // a second interrupt ends the program at once
		input = growing{ctx, input}
	}
	if !feed(os.Stdout, input) {
		os.Exit(1)
	}
}

// feed prints the kills of a recording, and reports whether it could read every line.
func feed(out io.Writer, recording io.Reader) (ok bool) {
	ok = true
	for step, err := range match.Read(recording, &match.Match{Events: true}) {
		switch {
		case errors.Is(err, context.Canceled): // an interrupt
			return ok
		case err != nil: // of a line, such as the last one of a program that was killed
			log.Print(err)
			ok = false
			continue
		}
		for _, e := range step.Events {
			if e.Kind == match.Kill { // e has the parts of the line, and package match other kinds of events
				fmt.Fprintf(out, "%9.3f  %s\n", e.Time.Seconds(), printable(e.String()))
			}
		}
	}
	return ok
}

// printable replaces control characters. Players choose their names, and a name could control the terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, s)
}

// growing reads a file that another program still writes. It has no end before the context ends.
type growing struct {
	ctx  context.Context
	file io.Reader
}

func (g growing) Read(p []byte) (int, error) {
	for {
		n, err := g.file.Read(p)
		if n > 0 || !errors.Is(err, io.EOF) {
			return n, err
		}
		select {
		case <-g.ctx.Done():
			return 0, g.ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
}
