// Generate writes the dissector for Wireshark, bcwire.lua, from the source of the library: the
// walks of all messages, the table of messages, the enumerations and the ship classes. The
// hand-written part of the dissector is runtime.lua.
package main

import (
	"flag"
	"log"
	"os"
)

func main() {
	log.SetFlags(0)
	root := flag.String("root", "../..", "directory of the library")
	runtime := flag.String("runtime", "runtime.lua", "the part of the dissector that is not generated")
	out := flag.String("out", "bcwire.lua", "file to write")
	flag.Parse()
	text, err := os.ReadFile(*runtime)
	if err != nil {
		log.Fatal(err)
	}
	lua, err := generate(*root, string(text))
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(*out, []byte(lua), 0o644); err != nil {
		log.Fatal(err)
	}
}
