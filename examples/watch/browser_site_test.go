//go:build browser

package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/watch/internal/web"
)

// site is the folder of -site behind a web server that sends no headers of its own.
type site struct {
	dir, url string
	files    map[string]string // by the address of the page that opens them
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{dir: t.TempDir(), files: map[string]string{}}
	require.NoError(t, writeSite(s.dir))
	size := 0 // of the page, as servers send it
	require.NoError(t, filepath.WalkDir(s.dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || e.Name() == "sample.jsonl.gz" {
			return err
		}
		data, err := os.ReadFile(name)
		if filepath.Ext(name) != ".gz" {
			data = web.Compressed(data, gzip.BestCompression)
		}
		size += len(data)
		return err
	}))
	t.Logf("the page has %d bytes, gzipped, without the sample", size)
	require.Less(t, size, 3_000_000)
	server := httptest.NewServer(http.FileServer(http.Dir(s.dir)))
	t.Cleanup(server.Close)
	s.url = server.URL + "/"
	return s
}

// serve returns an address where the page shows a file: that of a program, or of the site.
func (c *chrome) serve(t *testing.T, file string) string {
	t.Helper()
	if c.site == nil {
		return serve(t, file).url
	}
	url := fmt.Sprintf("%s?%d", c.site.url, len(c.site.files))
	name, err := filepath.Abs(file)
	require.NoError(t, err)
	c.site.files[url] = name
	return url
}

// file returns the file that the page at an address opens.
func (c *chrome) file(url string) (name string, ok bool) {
	if c.site != nil {
		name, ok = c.site.files[url]
	}
	return name, ok
}

// choose gives the page a file.
func (p *tab) choose(file string) {
	p.t.Helper()
	p.wait(`document.querySelector('#start')?.checkVisibility()`)
	p.run(chromedp.SetUploadFiles(chromedp.CSS("#start-file"), []string{file}))
}

// at opens an address of the site without a file.
func (c *chrome) at(t *testing.T, url string, before ...action) *tab {
	t.Helper()
	p := c.blank(t, url)
	p.run(append([]action{chromedp.EmulateViewport(desktop.width, desktop.height)}, before...)...)
	p.run(chromedp.Navigate(url))
	return p
}

// testFiles opens every format, one after the other in the same tab.
func testFiles(t *testing.T, c *chrome) {
	text, err := os.ReadFile(battle)
	require.NoError(t, err)
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	_, err = w.Write(text)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	zipped := filepath.Join(t.TempDir(), "battle.jsonl.gz")
	require.NoError(t, os.WriteFile(zipped, z.Bytes(), 0o600))
	p := c.at(t, c.site.url)
	for _, file := range []string{battle, zipped, "../capture/testdata/rejoins.pcapng.gz"} {
		name, err := filepath.Abs(file)
		require.NoError(t, err)
		p.run(chromedp.SetUploadFiles(chromedp.CSS("#start-file"), []string{name}))
		p.wait(fmt.Sprintf(`watch.ready && document.title.startsWith(%q) && !document.querySelector('#start').checkVisibility()`, filepath.Base(file)))
		p.wait(`Object.keys(watch.state().players).length > 0`)
		require.False(t, truth(p, `document.querySelector('#banner').checkVisibility()`), file)
		p.click("#open")
	}
	// A drop opens a file, too.
	p.eval(`(async () => {
		const text = await new Response((await fetch('sample.jsonl.gz')).body.pipeThrough(new DecompressionStream('gzip'))).text();
		const data = new DataTransfer();
		data.items.add(new File([text], 'dropped.jsonl'));
		for (const kind of ['dragenter', 'drop']) dispatchEvent(new DragEvent(kind, { dataTransfer: data, cancelable: true }));
	})()`, nil)
	p.wait(`watch.ready && document.title.startsWith('dropped.jsonl')`)
	// A drop of something else leaves the match where it is.
	p.eval(`(() => { for (const kind of ['dragenter', 'drop']) dispatchEvent(new DragEvent(kind, { dataTransfer: new DataTransfer(), cancelable: true })); })()`, nil)
	p.wait(`!document.querySelector('#start').checkVisibility()`)
}

// testDrop drops the battle on the page that has just been opened.
func testDrop(t *testing.T, c *chrome) {
	text, err := os.ReadFile(battle)
	require.NoError(t, err)
	p := c.at(t, c.site.url)
	p.wait(`document.querySelector('#start')?.checkVisibility()`)
	p.eval(fmt.Sprintf(`(window.data = new DataTransfer(), data.items.add(new File([%q], 'battle.jsonl')), 0)`, text), nil)
	end := p.measure()
	began := time.Now()
	p.eval(`(() => { for (const kind of ['dragenter', 'drop']) dispatchEvent(new DragEvent(kind, { dataTransfer: data, cancelable: true })); })()`, nil)
	p.wait(`window.watch?.ready && watch.state().frames > 0 && Object.keys(watch.state().ships).length > 0`)
	first := time.Since(began)
	done := end()
	t.Logf("first picture of a dropped battle after %v; %v", first.Round(time.Millisecond), done)
	require.LessOrEqual(t, done.cpu, 4*time.Second, "2 s on two cores")
}

// testEarly draws a picture before a tenth of a long match has been read, as the worker reports it.
func testEarly(t *testing.T, c *chrome) {
	file := filepath.Join(t.TempDir(), "long.jsonl")
	require.NoError(t, os.WriteFile(file, bytes.Repeat(sample, 50<<20/len(sample)), 0o600))
	p := c.at(t, c.site.url, onNewDocument(`addEventListener('load', async () => {
		const { get } = await import('./backend/api.js');
		const drawn = () => window.watch?.state().frames > 0 && Object.keys(watch.state().ships).length > 0;
		const look = async () => {
			if (!drawn()) return requestAnimationFrame(look);
			const { progress } = await get('info');
			window.early = progress.read / progress.size;
		};
		look();
	})`))
	p.wait(`document.querySelector('#start')?.checkVisibility()`)
	p.run(chromedp.SetUploadFiles(chromedp.CSS("#start-file"), []string{file}))
	p.wait(`'early' in window`)
	t.Logf("first picture after %.1f %% of the file", 100*p.number(`early`))
	require.Less(t, p.number(`early`), 0.1)
	require.True(t, truth(p, `document.querySelector('#progress').checkVisibility()`), "the page tells how much is read")
}

// testSample shows the bundled match, and follows a link to a moment of it.
func testSample(t *testing.T, c *chrome) {
	p := c.at(t, c.site.url, theme("dark"))
	p.wait(`document.querySelector('#start-sample')?.checkVisibility()`)
	p.click("#start-record summary")
	p.shoot("start-dark-1280")
	p.run(chromedp.Evaluate[chromedp.Void](axeCore(t)))
	p.audit("start", false)
	began := time.Now()
	p.click("#start-sample")
	p.wait(`watch.ready && watch.state().frames > 0 && Object.keys(watch.state().ships).length > 0`)
	t.Logf("first picture of the sample after %v", time.Since(began).Round(time.Millisecond))
	p.wait(`document.querySelector('#progress').hidden`)
	p.seek(20)
	p.wait(`location.hash.includes('t=20.000')`)
	link := p.text(`location.href`)
	require.Contains(t, link, "match=sample.jsonl")
	p = c.at(t, link)
	p.wait(`watch.ready && watch.state().time === 20`)
	// A link to a moment of another file asks for that file.
	p = c.at(t, strings.ReplaceAll(link, "sample.jsonl", "mine.pcap"))
	p.wait(`document.querySelector('#start-state').textContent.includes('mine.pcap')`)
	p.run(chromedp.SetUploadFiles(chromedp.CSS("#start-file"), []string{filepath.Join(c.site.dir, "sample.jsonl.gz")}))
	p.wait(`watch.ready && watch.state().time === 20`)
}

// testBeside opens a recording that lies beside the page, as a link says, and goes back through its views and files.
func testBeside(t *testing.T, c *chrome) {
	text, err := os.ReadFile(battle)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(c.site.dir, "the battle.jsonl"), text, 0o600))
	p := c.at(t, c.site.url+"?file=the%20battle.jsonl#t=61.9&view=events")
	p.wait(`watch.ready && watch.state().time === 61.9 && watch.state().view === 'events'`)
	require.Contains(t, p.text(`document.title`), "the battle.jsonl")
	p.seek(30)
	p.wait(`location.search === '?file=the%20battle.jsonl' && location.hash.startsWith('#t=30.000&') && !location.hash.includes('match')`)
	for _, view := range []string{"messages", "report"} {
		p.click("#tab-" + view)
		p.wait(`location.hash.includes('view=` + view + `')`)
	}
	p.eval(`(history.go(-2), 0)`, nil)
	p.wait(`watch.state().view === 'events' && watch.state().time === 30`)

	// A file of the user is a step, too, and so is the start of the page.
	p = c.at(t, c.site.url)
	p.wait(`document.querySelector('#start')?.checkVisibility()`)
	require.Equal(t, "start", p.text(`[...document.querySelectorAll('main')].filter((e) => e.checkVisibility()).map((e) => e.id).join()`))
	for _, name := range []string{"the battle.jsonl", "sample.jsonl.gz"} {
		p.run(chromedp.SetUploadFiles(chromedp.CSS("#start-file"), []string{filepath.Join(c.site.dir, name)}))
		p.wait(fmt.Sprintf(`watch.ready && document.title.startsWith(%q) && location.hash.includes('match')`, name))
		p.wait(`document.querySelector('#progress').hidden`)
		p.seek(30)
		p.wait(`location.hash.includes('t=30.000')`)
	}
	require.Equal(t, "views", p.text(`[...document.querySelectorAll('main')].filter((e) => e.checkVisibility()).map((e) => e.id).join()`))
	p.eval(`(history.back(), 0)`, nil)
	p.wait(`watch.ready && document.title.startsWith('the battle') && watch.state().time === 30`)
	p.eval(`(history.back(), 0)`, nil)
	p.wait(`document.querySelector('#start').checkVisibility()`)
	p.click("#start-close")
	p.wait(`!document.querySelector('#start').checkVisibility() && watch.state().ships`)
	// Nothing is loaded from another server.
	p = c.at(t, c.site.url+"?file=http://127.0.0.1:9/match.pcapng")
	p.wait(`document.querySelector('#start-error')?.textContent.includes('is not on the server of this page')`)
}

// testLastFile asks for several files at a time. The page shows the last one, and runs one worker.
func testLastFile(t *testing.T, c *chrome) {
	p := c.at(t, c.site.url, onNewDocument(`
		window.running = 0;
		window.Worker = class extends Worker {
			constructor(url) { super(url); running++; }
			terminate() { super.terminate(); running--; }
		};
		const get = window.fetch;
		window.fetch = async (url) => {
			const answer = await get(url);
			await new Promise((done) => setTimeout(done, url.includes('sample') ? 1000 : 300)); // a slow network
			if (url.includes('sample')) window.slow = true;
			return answer;
		};
	`))
	p.wait(`document.querySelector('#start-sample')?.checkVisibility()`)
	text, err := os.ReadFile(battle)
	require.NoError(t, err)
	p.eval(fmt.Sprintf(`(() => {
		document.querySelector('#start-sample').click();
		for (const name of ['first.jsonl', 'last.jsonl']) {
			const data = new DataTransfer();
			data.items.add(new File([%q], name));
			for (const kind of ['dragenter', 'drop']) dispatchEvent(new DragEvent(kind, { dataTransfer: data, cancelable: true }));
		}
	})()`, text), nil)
	p.wait(`window.slow && watch.ready && document.querySelector('#progress').hidden`)
	p.eval(`new Promise((done) => setTimeout(done, 300))`, nil)
	require.Contains(t, p.text(`document.title`), "last.jsonl")
	require.Equal(t, 1.0, p.number(`running`))
}

// testServers opens the sample from a server of Python, which knows other types of files, and from one
// that lets the browser unpack what ends in .gz.
func testServers(t *testing.T, c *chrome) {
	unpacks := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, ".gz") {
			w.Header().Set("Content-Encoding", "gzip")
		}
		http.FileServer(http.Dir(c.site.dir)).ServeHTTP(w, r)
	}))
	defer unpacks.Close()
	python := exec.CommandContext(t.Context(), "python3", "-u", "-m", "http.server", "--bind", "127.0.0.1", "--directory", c.site.dir, "0")
	var out output
	python.Stdout, python.Stderr = &out, &out
	require.NoError(t, python.Start())
	defer func() {
		_ = python.Process.Kill()
		_ = python.Wait()
	}()
	port := find(t, out.String, `port (\d+)`)
	for _, url := range []string{unpacks.URL + "/", "http://127.0.0.1:" + port + "/"} {
		p := c.at(t, url)
		p.wait(`document.querySelector('#start-sample')?.checkVisibility()`)
		p.click("#start-sample")
		p.wait(`watch.ready && Object.keys(watch.state().ships).length > 0`)
	}
}

// testBadFiles opens files that cannot be shown, and a good one after each.
func testBadFiles(t *testing.T, c *chrome) {
	text, err := os.ReadFile(battle)
	require.NoError(t, err)
	dir := t.TempDir()
	zip := web.Compressed(text, gzip.BestCompression)
	// A capture with a query of DNS.
	dns := "\xd4\xc3\xb2\xa1\x02\x00\x04\x00\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff\x00\x00\x65\x00\x00\x00" +
		"\x01\x00\x00\x00\x00\x00\x00\x00\x2d\x00\x00\x00\x2d\x00\x00\x00" +
		"\x45\x00\x00\x2d\x00\x01\x00\x00\x40\x11\x00\x00\x7f\x00\x00\x01\x7f\x00\x00\x01\x30\x39\x00\x35\x00\x19\x00\x00" +
		"\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x01"
	plain := []byte{0xFF, 1, 3, 15, 0xC0, 0, 0, 127, 0, 0, 1, 1, 2, 3, 4, 0, 0}
	sample := filepath.Join(dir, "good.jsonl") // a short one
	lines := strings.SplitAfter(string(text), "\n")
	require.NoError(t, os.WriteFile(sample, []byte(strings.Join(lines[:300], "")), 0o600))
	p := c.at(t, c.site.url)
	p.wait(`document.querySelector('#start')?.checkVisibility()`)
	for _, bad := range []struct {
		name, data, where, want string
		size                    int64
	}{
		{"empty.pcap", "", "#start-error", "empty.pcap is empty", 0},
		{"huge.pcap", "", "#start-error", "huge.pcap has 4 GB, and this page reads up to 1 GB. The program watch", 4 << 30},
		{"photo.jpg", "\xff\xd8\xff\xe0\x00\x10JFIF\x00", "#start-error", "photo.jpg: unknown format", 0},
		{"photo.png", "\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR", "#start-error", "photo.png: unknown format", 0},
		{"letter.txt", strings.Repeat("Dear Sir or Madam,\n", 50), "#start-error", "letter.txt: unknown format", 0},
		{"plain.hex", hex.EncodeToString(plain), "#start-error", `are not enciphered: tick the box "The recording is already deciphered"`, 0},
		{"cut.jsonl", string(text[:len(text)/2]), "#banner", "unexpected end of JSON input", 0},
		{"cut.jsonl.gz", string(zip[:len(zip)/2]), "#banner", "unexpected EOF", 0},
		{"dns.pcap", dns, "#start-error", "no datagrams of the game were found", 0},
		{"cut.pcap", "\xd4\xc3\xb2\xa1\x02\x00\x04\x00", "#start-error", "the capture is truncated", 0},
		{"other.jsonl", `{"dir":"c2s","hex":"00112233445566778899"}`, "#start-error", "no datagrams of the game were found", 0},
	} {
		file := filepath.Join(dir, bad.name)
		require.NoError(t, os.WriteFile(file, []byte(bad.data), 0o600))
		if bad.size > 0 {
			require.NoError(t, os.Truncate(file, bad.size))
		}
		p.run(chromedp.SetUploadFiles(chromedp.CSS("#start-file"), []string{file}))
		p.wait(fmt.Sprintf(`document.querySelector(%q).checkVisibility() && document.querySelector(%q).textContent.includes(%q)`, bad.where, bad.where, bad.want))
		p.shoot(bad.name + "-1280")
		if bad.where == "#banner" {
			continue // and the page shows what can be read
		}
		p.run(chromedp.SetUploadFiles(chromedp.CSS("#start-file"), []string{sample}))
		p.wait(`watch.ready && document.title.startsWith('good') && Object.keys(watch.state().players).length > 0`)
	}
	// From the disk, and without WebAssembly.
	p = c.at(t, "file://"+c.site.dir+"/index.html")
	p.wait(`document.querySelector('#disk').checkVisibility()`)
	p.expected = func(text string) bool { return true } // the browser reports the modules that it does not load
	p.shoot("disk-1280")
	p = c.at(t, c.site.url, onNewDocument(`delete window.WebAssembly`))
	p.wait(`document.querySelector('#start-sample')?.checkVisibility()`)
	p.click("#start-sample")
	p.wait(`document.querySelector('#start-error').textContent.includes('too old')`)
}

// testPrivate tries a request inside the worker: to another origin, and to its own.
func testPrivate(t *testing.T, c *chrome) {
	var received atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		received.Add(1)
		w.Header().Set("Access-Control-Allow-Origin", "*")
	}))
	defer other.Close()
	p := c.at(t, c.site.url, inWorker(`
		const report = new BroadcastChannel('report');
		const get = (url) => fetch(url).then((r) => 'status ' + r.status, () => 'refused');
		const socket = () => new Promise((done) => {
			const s = new WebSocket('`+strings.Replace(other.URL, "http", "ws", 1)+`');
			s.onopen = () => done('open');
			s.onerror = () => done('refused');
		}).catch(() => 'refused');
		const script = async () => { try { importScripts('`+other.URL+`'); return 'ran'; } catch { return 'refused'; } };
		Promise.all([get('`+other.URL+`'), socket(), script(), get('`+c.site.url+`')]).then((r) => setInterval(() => report.postMessage(r.join()), 50));
	`))
	p.expected = func(text string) bool {
		return strings.Contains(text, "Content Security Policy") || strings.Contains(text, "policy: connect-src") || strings.Contains(text, other.URL)
	}
	p.wait(`document.querySelector('#start-sample')?.checkVisibility()`)
	require.True(t, truth(p, `document.querySelector('#start').textContent.includes('Nothing leaves this browser')`))
	p.eval(`(new BroadcastChannel('report').onmessage = (e) => { window.reported = e.data; }, 0)`, nil)
	p.click("#start-sample")
	p.wait(`window.reported`)
	require.Equal(t, "refused,refused,refused,status 200", p.text(`window.reported`))
	require.Equal(t, "refused", p.text(`fetch('`+other.URL+`').then(() => 'sent', () => 'refused')`))
	require.Zero(t, received.Load())
	p.wait(`watch.ready`)
}

// testWorker ends the worker, and uses the page again.
func testWorker(t *testing.T, c *chrome) {
	p := c.at(t, c.site.url, inWorker(`
		new BroadcastChannel('end').onmessage = () => { throw new Error('the end of the test'); };
	`))
	p.expected = func(text string) bool { return strings.Contains(text, "the end of the test") }
	p.wait(`document.querySelector('#start-sample')?.checkVisibility()`)
	p.click("#start-sample")
	p.wait(`watch.ready`)
	p.eval(`(new BroadcastChannel('end').postMessage(1), 0)`, nil)
	p.wait(`document.querySelector('#start-error').checkVisibility() && document.querySelector('#start-error').textContent.includes('the end of the test')`)
	p.shoot("dead-worker-1280")
	p.click("#start-sample")
	p.wait(`watch.ready && !document.querySelector('#start').checkVisibility() && document.querySelector('#progress').hidden`)
	p.seek(60) // at most to the end of what is loaded
	p.wait(`Object.keys(watch.state().ships).length > 0`)
}

// inWorker runs a script at the beginning of each worker.
func inWorker(script string) action {
	return onNewDocument(fmt.Sprintf(`window.Blob = class extends Blob {
		constructor(parts, options) { super(options?.type === 'text/javascript' ? [%q, ...parts] : parts, options); }
	}`, "{"+script+"}\n"))
}

// onNewDocument runs a script before those of the page.
func onNewDocument(script string) action {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
		return err
	})
}
