//go:build browser

package main

import (
	"bytes"
	"context"
	"io"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// battle is a recorded match of four players.
const battle = "../../testdata/battle.jsonl"

// TestBrowser tests the page in a browser, which all tests share.
func TestBrowser(t *testing.T) {
	c := startChrome(t)
	for _, test := range []struct {
		name string
		run  func(*testing.T, *chrome)
	}{
		{"Playback", testPlayback},
		{"Keyboard", testKeyboard},
		{"Ships", testShips},
		{"Events", testEvents},
		{"World", testWorld},
		{"Messages", testMessages},
		{"Fields", testFields},
		{"Permalink", testPermalink},
		{"Accessible", testAccessible},
		{"Themes", testThemes},
		{"Narrow", testNarrow},
		{"Hostile", testHostilePage},
		{"Restart", testRestart},
		{"Live", testLive},
		{"Hour", testHour},
		{"Picture", testPicture},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, c) })
	}
}

// program is a running watch.
type program struct {
	url    string
	stderr *output
	stop   func() int
}

// start runs the program until stop or the end of the test. It ends without an error.
func start(t *testing.T, args ...string) *program {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	p := &program{stderr: &output{}}
	stdout := &output{}
	done := make(chan int, 1)
	go func() { done <- run(ctx, args, strings.NewReader(""), stdout, p.stderr) }()
	p.stop = sync.OnceValue(func() int {
		cancel()
		return <-done
	})
	t.Cleanup(func() { require.Zero(t, p.stop(), "%s", p.stderr) })
	p.url = stdout.find(t, `(http://\S+)\n`)
	return p
}

// output is what a program prints.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

var _ io.Writer = (*output)(nil)

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

// find waits until the output has a pattern, and returns its first group.
func (o *output) find(t *testing.T, pattern string) string {
	t.Helper()
	re := regexp.MustCompile(pattern)
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if found := re.FindStringSubmatch(o.String()); found != nil {
			return found[1]
		}
	}
	t.Fatalf("no %s in the output: %s", pattern, o)
	return ""
}
