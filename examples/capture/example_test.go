package capture_test

import (
	"bytes"
	"errors"
	"fmt"
	"log"
	"net/netip"
	"os"
	"path/filepath"
	"time"

	"github.com/bcwire/bcwire/examples/capture"
	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/transport/recording"
)

// This example prints who killed whom in a capture of Wireshark, here a gzipped one.
func Example() {
	file, err := os.Open("testdata/rejoins.pcapng.gz")
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	for step, err := range capture.Read(file, &match.Match{Events: true}) {
		if err != nil {
			log.Fatal(err)
		}
		for _, e := range step.Events {
			if e.Kind == match.Kill || e.Kind == match.Explode {
				fmt.Printf("%.1f s  %v\n", e.Time.Seconds(), &e)
			}
		}
	}
	// Output:
	// 6.1 s  Ann destroys Cady2 (Torpedoes / Forward Torp 2)
	// 8.1 s  Ann explodes
}

// This example converts a recording to a capture for Wireshark, without the datagrams of other clients.
func ExampleWriter() {
	file, err := os.Open("../../testdata/rejoins.jsonl")
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	var out bytes.Buffer
	w := capture.NewWriter(&out)
	for d, err := range capture.NewReader(file).Datagrams() {
		if err != nil {
			log.Fatal(err)
		}
		if d.Client != "1" {
			continue
		}
		if err := w.Write(d); err != nil {
			log.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		log.Fatal(err)
	}

	addresses := map[netip.AddrPort]int{}
	for d, err := range capture.NewReader(&out).Datagrams() {
		if err != nil {
			log.Fatal(err)
		}
		addresses[d.Src]++
	}
	fmt.Println(addresses)
	// Output: map[10.0.0.1:22101:39 10.0.0.2:40001:7]
}

// This example records the datagrams of a server. The name of the file chooses the format.
func ExampleRecorder() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	name, start := filepath.Join(dir, "match.pcapng"), time.Now()
	r, err := capture.NewRecorder(name, capture.DefaultLimit, start, netip.MustParseAddrPort("192.0.2.1:22101"))
	if err != nil {
		log.Fatal(err)
	}
	player := netip.MustParseAddrPort("192.0.2.7:50000")
	r.WriteAddrPort(start, recording.ToServer, player, []byte(`\status\`))
	r.WriteAddrPort(start.Add(time.Second), recording.ToClient, player, []byte(`\final\`))
	if err := errors.Join(r.Flush(), r.Close()); err != nil {
		log.Fatal(err)
	}

	file, err := os.Open(name)
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	for d, err := range capture.NewReader(file).Datagrams() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(d.Time, d.Dir, d.Src, d.Dst, string(d.Data))
	}
	// Output:
	// 0 c2s 192.0.2.7:50000 192.0.2.1:22101 \status\
	// 1 s2c 192.0.2.1:22101 192.0.2.7:50000 \final\
}
