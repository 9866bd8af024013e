package capture_test

import (
	"fmt"
	"log"
	"os"

	"github.com/bcwire/bcwire/examples/capture"
	"github.com/bcwire/bcwire/match"
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
