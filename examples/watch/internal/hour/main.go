// Hour writes the link of one client in a long match of 16 ships, and measures how fast package
// match shows it:
//
//	go run -C examples ./watch/internal/hour
//
// The match has one hour and about 600,000 messages: ten updates a second of every ship, shots,
// chat and deaths, in datagrams as the game packs them.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"
)

func main() {
	out := flag.String("o", "", "write the match to `FILE`, and measure nothing")
	length := flag.Duration("length", time.Hour, "length of the match")
	flag.Parse()
	if err := run(*out, *length); err != nil {
		log.Fatal(err)
	}
}

func run(out string, length time.Duration) error {
	name := out
	if out == "" {
		dir, err := os.MkdirTemp("", "watch-hour")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		name = filepath.Join(dir, "hour.jsonl")
	}
	began := time.Now()
	if err := write(name, length); err != nil {
		return err
	}
	if out != "" {
		return nil
	}
	fmt.Printf("written in %v\n", time.Since(began).Round(time.Millisecond))
	return measure(name)
}

func write(name string, length time.Duration) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	g, err := newGenerator(f)
	if err != nil {
		return err
	}
	if err := g.run(length); err != nil {
		return err
	}
	return f.Close()
}
