//go:build browser

package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

var (
	screenshots = flag.String("screenshots", os.Getenv("BCWIRE_SCREENSHOTS"), "write a screenshot of each view to this `DIRECTORY`")
	picture     = flag.String("picture", "", "write the picture of the README to this `FILE`")
)

// patience is the longest time that a test waits for the page.
const patience = 30 * time.Second

// chrome is a headless browser.
type chrome struct {
	ctx  context.Context
	site *site // where the page opens files itself; nil for the page of the program
}

// browser returns the name of the browser, in the order of .ci/run.
func browser() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return "chromium"
}

// startChrome starts the browser of this machine with an empty profile. A missing browser fails
// the test.
func startChrome(t *testing.T) *chrome {
	t.Helper()
	profile, err := os.MkdirTemp("", "watch-profile")
	require.NoError(t, err)
	options := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(browser()),
		chromedp.UserDataDir(profile),
		chromedp.Flag("headless", "new"),
		chromedp.NoSandbox,
		chromedp.DisableGPU,
		chromedp.NoFirstRun,
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true),
		chromedp.Flag("force-color-profile", "srgb"),
		chromedp.Flag("hide-scrollbars", false),
		chromedp.WSURLReadTimeout(time.Minute),
	}
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancelBrowser := chromedp.NewContext(ctx)
	t.Cleanup(func() {
		_ = chromedp.Cancel(ctx) // waits until the browser has ended
		cancelBrowser()
		cancel()
		_ = os.RemoveAll(profile)
	})
	require.NoError(t, chromedp.Do(ctx), "start chromium")
	return &chrome{ctx: ctx}
}

// action is a step in a tab.
type action = chromedp.Action[chromedp.Void]

// tab is a tab that shows the page.
type tab struct {
	t   *testing.T
	ctx context.Context

	origin string // host and port; no request may go elsewhere

	mu       sync.Mutex
	problems []string
	requests int               // of the page
	expected func(string) bool // reports whether the test causes a problem on purpose
}

// size is a size of the window, in pixels.
type size struct{ width, height int64 }

var (
	desktop = size{1280, 800}
	phone   = size{390, 844}
	onSide  = size{844, 390} // the phone
	tablet  = size{820, 1180}
	zoomed  = size{640, 400} // the desktop at 200 %
	sizes   = []size{desktop, phone, onSide}
)

// open shows an address and waits until the page has loaded the match. The test fails if the page reports an
// error on its console or violates its policy.
func (c *chrome) open(t *testing.T, url string, s size, before ...action) *tab {
	t.Helper()
	p := c.blank(t, url)
	p.run(append([]action{chromedp.EmulateViewport(s.width, s.height, touch(s))}, before...)...)
	p.run(chromedp.Navigate(url))
	base, _, _ := strings.Cut(url, "#")
	if file, ok := c.file(base); ok {
		p.choose(file)
	}
	p.wait(`window.watch?.ready && document.querySelector('#progress').hidden`)
	return p
}

// blank opens a tab for an address.
func (c *chrome) blank(t *testing.T, url string) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(c.ctx)
	p := &tab{t: t, ctx: ctx, expected: func(string) bool { return false }}
	t.Cleanup(func() {
		p.check()
		cancel()
	})
	require.NoError(t, chromedp.Listen(ctx, p.listen))
	p.origin, _, _ = strings.Cut(strings.TrimPrefix(url, "http://"), "/")
	return p
}

// touch makes a small window the screen of a phone.
func touch(s size) chromedp.EmulateViewportOption {
	if min(s.width, s.height) < 600 {
		return chromedp.EmulateMobile
	}
	return chromedp.EmulateLandscape
}

// listen collects what the page should not do.
func (p *tab) listen(event any) {
	text := ""
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		p.mu.Lock()
		p.requests++
		p.mu.Unlock()
		if to := e.Request.URL; !strings.HasPrefix(to, "http://"+p.origin+"/") && !strings.HasPrefix(to, "data:") && !strings.HasPrefix(to, "blob:http://"+p.origin+"/") {
			text = "a request leaves the origin: " + to
		}
	case *runtime.EventExceptionThrown:
		text = "exception: " + e.ExceptionDetails.Text
	case *log.EventEntryAdded:
		if e.Entry.Level != log.EntryLevelVerbose && e.Entry.Level != log.EntryLevelInfo {
			text = fmt.Sprintf("%s: %s %s", e.Entry.Source, e.Entry.Text, e.Entry.URL)
		}
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning {
			text = fmt.Sprintf("console: %s %s", e.Args[0].Value, e.Args[0].Description)
		}
	}
	if text != "" {
		p.mu.Lock()
		p.problems = append(p.problems, text)
		p.mu.Unlock()
	}
}

// check fails the test if there was a problem.
func (p *tab) check() {
	p.t.Helper()
	var errs []string
	p.eval(`window.watch?.errors ?? []`, &errs)
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, text := range append(p.problems, errs...) {
		if !p.expected(text) {
			p.t.Errorf("the page reports: %s", text)
		}
	}
	p.problems = nil
	if p.requests == 0 {
		p.t.Error("the requests of the page are not counted")
	}
}

func (p *tab) run(actions ...action) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	require.NoError(p.t, chromedp.Do(ctx, actions...))
}

// eval evaluates an expression, which may be a promise, and stores its value if out is not nil.
func (p *tab) eval(expression string, out any) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	text, err := chromedp.Run(ctx, chromedp.Evaluate[string](`(async () => JSON.stringify(await (`+expression+`) ?? null))()`, chromedp.EvalAwaitPromise))
	require.NoError(p.t, err, expression)
	if out != nil {
		require.NoError(p.t, json.Unmarshal([]byte(text), out), expression)
	}
}

func (p *tab) text(expression string) (s string) {
	p.t.Helper()
	p.eval(expression, &s)
	return s
}

func (p *tab) number(expression string) (n float64) {
	p.t.Helper()
	p.eval(expression, &n)
	return n
}

// wait waits until an expression is true.
func (p *tab) wait(expression string) {
	p.t.Helper()
	deadline := time.Now().Add(patience)
	for {
		var ok bool
		p.eval(`!!(await (`+expression+`))`, &ok)
		if ok {
			return
		}
		if time.Now().After(deadline) {
			p.shoot("failed")
			state := p.text(`JSON.stringify({ ...watch.state(), ships: null, players: null, errors: watch.errors, ready: watch.ready, start: document.querySelector('#start').innerText, banner: document.querySelector('#banner').textContent, focus: document.activeElement.outerHTML.slice(0, 200) })`)
			p.t.Fatalf("after %v, this is not true: %s\n%s\nproblems: %s", patience, expression, state, strings.Join(p.problems, "\n"))
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// progress waits until an expression is true, as long as the page reads more messages or draws.
func (p *tab) progress(expression string) {
	p.t.Helper()
	state := `[` + expression + `, window.watch?.state().frames, document.querySelector('#progress-text')?.textContent].join()`
	var seen string
	for changed := time.Now(); time.Since(changed) < patience; time.Sleep(20 * time.Millisecond) {
		now := p.text(state)
		if strings.HasPrefix(now, "true,") {
			return
		}
		if now != seen {
			seen, changed = now, time.Now()
		}
	}
	p.wait(expression) // fails with the state of the page
}

func (p *tab) click(selector string) {
	p.t.Helper()
	p.run(chromedp.Click(chromedp.CSS(selector), chromedp.NodeVisible))
}

func (p *tab) key(keys ...string) {
	p.t.Helper()
	for _, k := range keys {
		p.run(chromedp.KeyEvent(k))
	}
}

// seek moves the page to a time and waits until it is there.
func (p *tab) seek(seconds float64) {
	p.t.Helper()
	p.eval(fmt.Sprintf(`watch.seek(%g)`, seconds), nil)
	p.frame()
}

// frame waits until the page has painted what it has.
func (p *tab) frame() {
	p.t.Helper()
	p.eval(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 0))))`, nil)
}

// theme sets the theme that the system prefers. The page moves as little as possible.
func theme(name string) action {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{
				{Name: "prefers-color-scheme", Value: name},
				{Name: "prefers-reduced-motion", Value: "reduce"},
			},
		})
		return err
	})
}

// png takes a picture of the window.
func (p *tab) png() []byte {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	data, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	require.NoError(p.t, err)
	return data
}

// shoot writes a screenshot if the test has a directory for them.
func (p *tab) shoot(name string) {
	p.t.Helper()
	if *screenshots == "" {
		return
	}
	require.NoError(p.t, os.MkdirAll(*screenshots, 0o755))
	require.NoError(p.t, os.WriteFile(filepath.Join(*screenshots, name+".png"), p.png(), 0o644))
}

var keys = struct{ space, left, right, home, end, down, enter, escape string }{
	" ", kb.ArrowLeft, kb.ArrowRight, kb.Home, kb.End, kb.ArrowDown, kb.Enter, kb.Escape,
}
