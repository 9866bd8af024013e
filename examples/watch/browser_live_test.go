//go:build browser

package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// testLive shows a match of bots on the example server as it happens. Connections break, the program is
// unreachable for some time, the player whose link is seen leaves, and the server dies and is started again.
func testLive(t *testing.T, c *chrome) {
	dir := t.TempDir()
	build, err := exec.Command("go", "build", "-o", dir+string(filepath.Separator), "../server", "../bot").CombinedOutput()
	require.NoError(t, err, "%s", build)
	log, server := process(t, filepath.Join(dir, "server"), "-addr", "127.0.0.1:0")
	address := find(t, log.String, `msg=listening addr=(\S+)`)
	w := serve(t, "-server", address, "-listen", "127.0.0.1:0")
	relay := find(t, w.log, `watch: (\S+) -> `)
	way := newGateway(t, w.url)

	p := c.open(t, way.URL, desktop)
	p.wait(`document.querySelector('#map-empty').checkVisibility()`)
	p.shoot("empty-dark-1280")
	bots := map[string]*exec.Cmd{}
	bot := func(name, ship, seed string, more ...string) {
		args := append([]string{"-addr", relay, "-fire", "-duration", "2m", "-name", name, "-ship", ship, "-seed", seed}, more...)
		_, bots[name] = process(t, filepath.Join(dir, "bot"), args...)
	}
	bot("Ann", "sovereign", "1")
	bot("Ben", "warbird", "2", "-say", "Qapla'!")
	roster := `[...document.querySelectorAll('#roster li')].map((li) => li.textContent).sort().join()`
	ships := `Object.values(watch.state().ships)`
	p.wait(ships + `.length === 2 && watch.state().live`)
	p.wait(roster + ` === 'Ann,Ben'`)
	p.wait(`[...document.querySelectorAll('.event-row')].some((row) => row.textContent.includes("Ben: Qapla'!"))`)

	// The ships move, and the page draws them.
	moves := func() {
		t.Helper()
		p.wait(ships + `.length > 1`)
		p.eval(`window.before = watch.state()`, nil)
		p.wait(`watch.state().time > before.time + 1`)
		p.wait(ships + `.some((ship) => before.ships[ship.id] && ship.position.join() !== before.ships[ship.id].position.join())`)
		require.Greater(t, p.number(`watch.state().frames - before.frames`), 5.0)
	}
	moves()
	p.shoot("live-dark-1280")
	t.Run("Phone", func(t *testing.T) {
		p := c.open(t, way.URL, phone)
		p.wait(`watch.state().live && document.querySelector('#live').textContent.startsWith('Live, ')`)
		p.shoot("live-390")
		require.True(t, truth(p, `['#title .badge', '#clock', '#live'].every((name) => {
			const node = document.querySelector(name), box = node.getBoundingClientRect();
			return box.height < 40 && [box.left + 2, box.right - 2].every((x) => node.contains(document.elementFromPoint(x, box.top + box.height / 2)));
		})`), "nothing covers the sign, the time and the age, which have one line")
	})

	// Back in the match, and to its end again.
	p.click("#live")
	p.wait(`!watch.state().live && !watch.state().playing`)
	stopped := p.number(`watch.state().time`)
	p.seek(stopped - 1)
	require.InDelta(t, stopped-1, p.number(`watch.state().time`), 1e-6)
	p.wait(`Number(document.querySelector('#track').getAttribute('aria-valuemax')) > ` + p.text(`String(watch.state().time + 3)`))
	p.click("#live")
	p.wait(`watch.state().live && watch.state().time > before.time + 3`)

	// Connections break.
	p.expected = func(text string) bool {
		return strings.Contains(text, "network") || strings.Contains(text, "net::ERR") || strings.Contains(text, "503")
	}
	p.eval(`window.before = watch.state()`, nil)
	way.CloseClientConnections()
	p.wait(`watch.state().connected && watch.state().time > before.time + 3`)

	// The program has no window for some time.
	way.noWindow.Store(true)
	p.eval(`window.before = watch.state()`, nil)
	way.CloseClientConnections()
	p.wait(`!watch.state().connected`)
	way.noWindow.Store(false)
	p.wait(`watch.state().connected && watch.state().time > before.time + 1`)

	// The program is unreachable.
	way.closed.Store(true)
	way.CloseClientConnections()
	p.wait(`document.querySelector('#banner').checkVisibility() && /connects again by itself/.test(document.querySelector('#banner-text').textContent)`)
	p.shoot("banner-dark-1280")
	way.closed.Store(false)
	p.wait(`!document.querySelector('#banner').checkVisibility() && watch.state().connected`)
	p.eval(`window.before = watch.state()`, nil)
	p.wait(`watch.state().time > before.time + 1`)

	// What a snapshot of the same time has.
	var same bool
	p.eval(`(async () => {
		const seen = watch.state();
		const after = seen.time + 1e-9; // a snapshot has the changes before its time
		const w = await (await fetch('api/window?link=' + seen.link + '&from=' + after + '&to=' + after)).json();
		const text = (ships) => JSON.stringify(ships.map((s) => [s.id, s.position, s.forward, s.up, s.speed, s.life, s.state]).sort());
		return text(Object.values(seen.ships)) === text(w.snapshot.ships);
	})()`, &same)
	require.True(t, same, "the windows and a snapshot give the same world")

	// The player whose link is seen leaves: the page goes on with the other one, and says so.
	bot("Cid", "akira", "3")
	p.wait(roster + ` === 'Ann,Ben,Cid'`)
	seen := p.text(`document.querySelector('#link').selectedOptions[0].textContent`)
	require.NoError(t, bots[seen].Process.Signal(os.Interrupt))
	p.wait(`document.querySelector('#banner-text').textContent.startsWith('` + seen + ` is not in the match any more.')`)
	p.shoot("live-leave-dark-1280")
	p.wait(`document.querySelector('#link').selectedOptions[0].textContent !== '` + seen + `'`)
	p.wait(roster + `.split(',').length === 2`)
	moves()

	// The server dies: nothing is live, and the clock goes on.
	require.NoError(t, server.Process.Kill())
	p.wait(`document.querySelector('#title .badge').textContent === 'no signal' && ` + roster + ` === ''`)
	p.shoot("live-silent-dark-1280")
	ended := p.number(`Number(document.querySelector('#track').getAttribute('aria-valuemax'))`)
	p.wait(fmt.Sprintf(`Number(document.querySelector('#track').getAttribute('aria-valuemax')) > %g`, ended+1))

	// It is started again: another match, whose report is shown.
	process(t, filepath.Join(dir, "server"), "-addr", address)
	bot("Dee", "galor", "4")
	bot("Eva", "vorcha", "5")
	p.wait(`document.querySelector('#title .badge').textContent === 'live' && ` + roster + `.includes('Dee,Eva')`)
	p.wait(ships + `.map((ship) => ship.name).sort().join() === 'Dee,Eva'`)
	moves()
	p.click("#tab-report")
	p.wait(`document.querySelectorAll('#report-match option').length === 2 && document.querySelector('#report-match').value === '1'`)
	p.wait(`document.querySelector('.report-scores')?.textContent.includes('Dee') && !document.querySelector('.report-scores').textContent.includes('Ben')`)
	p.shoot("live-report-dark-1280")
}

// testRestart stops the program and starts it again at the same address.
func testRestart(t *testing.T, c *chrome) {
	w := serve(t, battle)
	p := c.open(t, w.url, desktop)
	p.expected = func(text string) bool { return strings.Contains(text, "net::ERR") }
	p.seek(10)
	require.Zero(t, w.stop())
	go p.eval(`watch.seek(70)`, nil)
	p.wait(`document.querySelector('#banner').checkVisibility()`)
	require.Contains(t, p.text(`document.querySelector('#banner-text').textContent`), "does not answer")
	address, err := url.Parse(w.url)
	require.NoError(t, err)
	serve(t, "-addr", address.Host, battle)
	p.wait(`!document.querySelector('#banner').checkVisibility()`)
	p.wait(`fetch('api/info').then((r) => r.json()).then((info) => !info.loading)`)
	p.eval(`new Promise((done) => setTimeout(done, 1000))`, nil) // the page asks every 250 ms
	p.seek(20)
	require.Equal(t, 20.0, p.number(`watch.state().time`))
	require.Equal(t, 4.0, p.number(`Object.keys(watch.state().ships).length`))
}

// gateway is between the browser and the program, so that a test can break connections.
type gateway struct {
	*httptest.Server
	closed   atomic.Bool
	noWindow atomic.Bool
}

func newGateway(t *testing.T, target string) *gateway {
	t.Helper()
	to, err := url.Parse(target)
	require.NoError(t, err)
	proxy := &httputil.ReverseProxy{
		FlushInterval: -1,
		ErrorHandler:  func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(to)
			r.Out.Host = to.Host
			r.Out.Header.Del("Origin")
		},
	}
	g := &gateway{}
	g.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if g.closed.Load() {
			panic(http.ErrAbortHandler)
		}
		if g.noWindow.Load() && r.URL.Path == "/api/window" {
			http.Error(w, `{"error":"the test refuses windows"}`, http.StatusServiceUnavailable)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		g.CloseClientConnections()
		g.Close()
	})
	return g
}

// process starts a program and ends it with the test. It returns the error output.
func process(t *testing.T, name string, args ...string) (stderr *output, cmd *exec.Cmd) {
	t.Helper()
	stderr = &output{}
	cmd = exec.Command(name, args...)
	cmd.Stderr = stderr
	_, err := cmd.StdinPipe() // stays open: the server ends with its input
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // the process was killed
	})
	return stderr, cmd
}

// testHour loads an hour of a match of 16 ships, and plays and seeks in it.
func testHour(t *testing.T, c *chrome) {
	file := filepath.Join(t.TempDir(), "hour.jsonl")
	out, err := exec.Command("go", "run", "../lab/hour", "-o", file).CombinedOutput()
	require.NoError(t, err, "%s", out)
	url := c.serve(t, file)
	p := c.blank(t, url)
	p.run(chromedp.EmulateViewport(desktop.width, desktop.height), chromedp.Navigate(url))
	end := p.measure()
	began := time.Now()
	if c.site != nil {
		p.choose(file)
	}
	p.progress(`watch.ready && watch.state().frames > 0 && Object.keys(watch.state().ships).length > 0`)
	first := time.Since(began)
	p.progress(`document.querySelector('#progress').hidden && document.querySelector('#track').getAttribute('aria-valuemax') > 3590`)
	done := end()
	t.Logf("first picture after %v, all after %v; %v", first.Round(time.Millisecond), time.Since(began).Round(time.Millisecond), done)
	require.LessOrEqual(t, done.longest, 50*time.Millisecond, "the page stays responsive")
	require.LessOrEqual(t, done.memory, 1000)
	p.seek(1800)
	require.Equal(t, 16.0, p.number(`Object.keys(watch.state().ships).length`))

	p.key(keys.space)
	p.wait(`watch.state().playing`)
	var rate struct{ Frames, Seconds float64 }
	p.eval(`(async () => {
		await new Promise((done) => setTimeout(done, 500));
		const frames = watch.state().frames, began = performance.now();
		await new Promise((done) => setTimeout(done, 5000));
		return { frames: watch.state().frames - frames, seconds: (performance.now() - began) / 1000 };
	})()`, &rate)
	p.key(keys.space)
	perSecond := rate.Frames / rate.Seconds
	t.Logf("%.0f frames a second with 16 ships and software rendering", perSecond)
	require.Greater(t, perSecond, 15.0)
	p.shoot("hour-dark-1280")

	var slowest, mean float64
	p.eval(`(async () => {
		window.times = [];
		for (let i = 0; i < 60; i++) {
			const began = performance.now();
			await watch.seek((i * 997) % 3600);
			times.push(performance.now() - began);
		}
		return Math.max(...times);
	})()`, &slowest)
	p.eval(`times.reduce((a, b) => a + b) / times.length`, &mean)
	t.Logf("60 seeks: mean %.0f ms, slowest %.0f ms", mean, slowest)
	require.Less(t, mean, 200.0)

	for _, view := range views {
		p.click("#tab-" + view)
		p.frame()
	}
	// A search of the fields goes on until it has seen all messages.
	p.click("#tab-messages")
	p.run(chromedp.SendKeys(chromedp.CSS("#filter-text"), "hull 5"))
	p.progress(`document.querySelector('#message-total').textContent === '254 messages'`)
	megabytes := p.number(`performance.memory.usedJSHeapSize / 1e6`)
	t.Logf("%.0f MB of memory in the page", megabytes)
	require.Less(t, megabytes, 300.0)
}
