//go:build browser

package main

import (
	"bytes"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// browserTest is a test of the page. The tests of a list share a browser and run one by one.
type browserTest struct {
	name string
	run  func(*testing.T, *chrome)
}

// TestBrowser tests the page in a browser. The first tests measure speed, so nothing else runs
// beside them. A live match has a browser of its own, because it waits most of the time. With -short, there
// is no match of an hour, and the page without a program is tested for what differs from the page of the program.
func TestBrowser(t *testing.T) {
	long := !testing.Short()
	c, alone := startChrome(t), startChrome(t)
	alone.site = newSite(t)
	if long {
		runAll(t, c, []browserTest{{"Hour", testHour}})
		runAll(t, alone, []browserTest{{"HourInPage", testHour}})
	}
	if *picture != "" {
		runAll(t, c, []browserTest{{"Picture", testPicture}})
	}
	runAll(t, alone, []browserTest{{"Drop", testDrop}, {"Early", testEarly}})
	t.Run("Live", func(t *testing.T) {
		t.Parallel()
		testLive(t, startChrome(t))
	})
	views := []browserTest{
		{"Playback", testPlayback},
		{"Keyboard", testKeyboard},
		{"Ships", testShips},
		{"FilterPlace", testFilterPlace},
		{"ClickedRow", testClickedRow},
		{"Links", testLinks},
		{"Colours", testColours},
		{"Legend", testLegend},
		{"Zoom", testZoom},
		{"Print", testPrint},
		{"World", testWorld},
		{"Messages", testMessages},
		{"Fields", testFields},
		{"Accessible", testAccessible},
		{"Themes", testThemes},
		{"Narrow", testNarrow},
		{"Stale", testStale},
		{"FirstShip", testFirstShip},
		{"Opening", testOpening},
		{"Events", testEvents},
		{"Permalink", testPermalink},
		{"Hostile", testHostilePage},
		{"Report", testReport},
	}
	t.Run("Program", func(t *testing.T) {
		t.Parallel()
		runAll(t, c, views)
		runAll(t, c, []browserTest{{"Restart", testRestart}, {"ReportFile", testReportFile}})
	})
	t.Run("Page", func(t *testing.T) {
		t.Parallel()
		if long {
			runAll(t, alone, views)
		}
		runAll(t, alone, []browserTest{
			{"Files", testFiles},
			{"Sample", testSample},
			{"Beside", testBeside},
			{"LastFile", testLastFile},
			{"Servers", testServers},
			{"BadFiles", testBadFiles},
			{"Private", testPrivate},
			{"Worker", testWorker},
		})
	})
}

func runAll(t *testing.T, c *chrome, tests []browserTest) {
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { test.run(t, c) })
	}
}

// serve runs the program until the end of the test. It ends without an error.
func serve(t *testing.T, args ...string) *running {
	t.Helper()
	r := start(t, strings.NewReader(""), args...)
	t.Cleanup(func() { require.Zero(t, r.stop(), "%s", r.log()) })
	return r
}

// output is what another program prints.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// find waits until a text has a pattern, and returns its first group.
func find(t *testing.T, text func() string, pattern string) string {
	t.Helper()
	re := regexp.MustCompile(pattern)
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if found := re.FindStringSubmatch(text()); found != nil {
			return found[1]
		}
	}
	t.Fatalf("no %s in the output: %s", pattern, text())
	return ""
}
