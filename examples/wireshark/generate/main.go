// Generate writes the dissector for Wireshark, bcwire.lua, from the source of the library: the
// walks of all messages, the table of messages, the enumerations and the ship classes. The
// hand-written part of the dissector is in the folder runtime.
package main

import (
	"flag"
	"log"
	"os"
)

func main() {
	log.SetFlags(0)
	root := flag.String("root", "../..", "directory of the library")
	out := flag.String("out", "bcwire.lua", "file to write")
	flag.Parse()
	lua, err := generate(*root)
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(*out, []byte(lua), 0o644); err != nil {
		log.Fatal(err)
	}
}
