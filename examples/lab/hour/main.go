// Hour writes the link of one client in a long match of 16 ships as a recording:
//
//	go run ./examples/lab/hour -o FILE
//
// The match has one hour and about 600,000 messages: ten updates a second of every ship, shots,
// chat and deaths, in datagrams as the game packs them.
package main

import (
	"flag"
	"log"
	"os"
	"time"
)

func main() {
	log.SetFlags(0)
	out := flag.String("o", "hour.jsonl", "write the match to `FILE`")
	length := flag.Duration("length", time.Hour, "length of the match")
	flag.Parse()
	if err := write(*out, *length); err != nil {
		log.Fatal("hour: ", err)
	}
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
