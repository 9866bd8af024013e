//go:build browser

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// testReport uses the report of the page: it seeks moments, goes from kill to kill, and saves a table.
func testReport(t *testing.T, c *chrome) {
	url := c.serve(t, sampleFile)
	p := c.open(t, url+"#t=0&view=report", desktop, theme("dark"))
	p.show("report")
	// The figures are those of the file.
	_, text, _ := reported(t, sampleFile)
	names, kills := "", map[string][]string{}
	for _, p := range tablesOf(t, text, "players")[0] {
		names += p["name"] + " "
	}
	for _, k := range tablesOf(t, text, "kills")[0] {
		kills[k["killer"]] = append(kills[k["killer"]], k["time"])
	}
	best, _, _ := strings.Cut(names, " ")
	require.NotEmpty(t, kills[best])
	p.wait(fmt.Sprintf(`[...document.querySelectorAll('.report-scores tbody th')].map((e) => e.textContent + ' ').join('') === %q`, names))
	require.Equal(t, fmt.Sprint(len(kills[best])), p.text(`document.querySelector('.report-scores tbody tr').cells[2].textContent`))
	// The next kill of a player, and again the first one.
	for _, seconds := range append(kills[best], kills[best][0]) {
		p.click(`.report-scores button`)
		p.wait(fmt.Sprintf(`Math.abs(watch.state().time - %s) < 0.01 && document.querySelector('.report-kills tr.latest')?.textContent.includes('%s destroys')`, seconds, best))
	}
	if len(kills[best]) > 1 {
		p.click(fmt.Sprintf(`.report-kills a[aria-label^="Next kill of %s"]`, best))
		p.wait(fmt.Sprintf(`Math.abs(watch.state().time - %s) < 0.01`, kills[best][1]))
	}
	p.click(`.report-plot svg`)
	p.wait(`Math.abs(watch.state().time / Number(document.querySelector('#track').getAttribute('aria-valuemax')) - 0.5) < 0.05`)
	// A table is a file.
	dir := t.TempDir()
	p.run(downloads(dir))
	p.click(`.report-tables button:nth-child(2)`)
	file := filepath.Join(dir, filepath.Base(sampleFile)+"-1-kills.csv")
	var saved []byte
	require.Eventually(t, func() (ok bool) {
		saved, _ = os.ReadFile(file)
		return len(saved) > 0
	}, patience, 20*time.Millisecond)
	require.Contains(t, string(saved), ","+best+",")
	// Pictures, and a film that is stopped.
	for name, button := range map[string]string{"-report-1.png": "#report-png", "-shields-of-all-ships.png": "#all-ships .plot-png", ".webm": "#map-film"} {
		p.click(map[string]string{"-report-1.png": "#tab-report", "-shields-of-all-ships.png": "#tab-ships", ".webm": "#tab-radar"}[name])
		p.click(button)
		if name == ".webm" {
			p.wait(`watch.state().playing && document.querySelector('#map-film').textContent === 'Stop the film'`)
			p.frame()
			p.click(button)
		}
		require.Eventually(t, func() bool {
			found, _ := filepath.Glob(filepath.Join(dir, "*"+name))
			if len(found) != 1 {
				return false
			}
			data, _ := os.ReadFile(found[0])
			return bytes.HasPrefix(data, []byte("\x89PNG")) || bytes.HasPrefix(data, []byte("\x1aE\xdf\xa3"))
		}, patience, 20*time.Millisecond, name)
	}
	p.click("#tab-report")
	// On paper, nothing is cut.
	p.run(chromedp.EmulateViewport(718, 1000), media("print"))
	require.LessOrEqual(t, p.number(`document.documentElement.scrollWidth`), 718.0)
	require.True(t, truth(p, `[...document.querySelectorAll('.report-scroll')].every((e) => e.scrollWidth <= e.clientWidth + 1)`))
	require.True(t, truth(p, `document.querySelector('#report').scrollHeight <= document.querySelector('#report').clientHeight + 1 && document.documentElement.scrollHeight > 1000`))
	p.run(chromedp.EmulateViewport(desktop.width, desktop.height), media(""))
	// Another match of the same recording.
	two := c.open(t, c.serve(t, "../../testdata/rejoins.jsonl")+"#view=report", desktop, theme("dark"))
	two.wait(`document.querySelector('#report-match').checkVisibility() && document.querySelectorAll('.report-scores tbody tr').length === 5`)
	two.eval(`((s) => { s.value = '1'; s.dispatchEvent(new Event('change')); })(document.querySelector('#report-match'))`, nil)
	two.wait(`document.querySelector('.report-kills').textContent.includes('Ann explodes')`)
	two.shoot("report-two-1280")
	// A moment is shown on the map.
	p.click(`.report-moments button`)
	p.wait(fmt.Sprintf(`watch.state().view === 'radar' && Math.abs(watch.state().time - %s) < 0.01`, tablesOf(t, text, "highlights")[0][0]["time"]))
}

// testReportFile opens the file of -report, without a network and without scripts.
func testReportFile(t *testing.T, c *chrome) {
	axe := axeCore(t)
	dir := t.TempDir()
	hostile := filepath.Join(dir, "hostile.jsonl")
	writeHostile(t, hostile)
	for name, in := range map[string]string{"fight": sampleFile, "hostile": hostile} {
		out := filepath.Join(dir, name+".html")
		require.Zero(t, run(t.Context(), []string{"-report", out, in}, nil, os.Stderr, os.Stderr))
		for _, s := range []size{desktop, phone} {
			p := c.blank(t, "file://"+out)
			p.expected = func(text string) bool { return text == "a request leaves the origin: file://"+out } // the file itself
			p.run(chromedp.EmulateViewport(s.width, s.height, touch(s)), theme("dark"), chromedp.Navigate("file://"+out))
			require.True(t, truth(p, `document.querySelector(".report-scores tbody tr")`))
			require.LessOrEqual(t, p.number(`document.documentElement.scrollWidth`), float64(s.width))
			// A line tells of further columns, until the last one is shown.
			const scores, more = `document.querySelector('.report-scroll')`, `getComputedStyle(document.querySelector('.report-scroll'), '::after').visibility`
			wide := truth(p, scores+`.scrollWidth > `+scores+`.clientWidth`)
			require.True(t, wide || s != phone)
			p.wait(more + ` === '` + map[bool]string{true: "visible", false: "hidden"}[wide] + `'`) // from the first frame on
			p.eval(scores+`.scrollLeft = 9999`, nil)
			p.wait(more + ` === 'hidden'`)
			p.eval(scores+`.scrollLeft = 0`, nil)
			require.False(t, truth(p, `'hacked' in window || document.querySelector('img, script, b, [onerror], [onclick], [onfocus]')`))
			require.False(t, truth(p, `[...document.querySelectorAll('bdi')].find((e) => getComputedStyle(e).unicodeBidi !== 'isolate')`))
			p.run(chromedp.Evaluate[chromedp.Void](axe))
			for _, look := range []string{"dark", "light"} {
				p.run(theme(look))
				p.shoot(fmt.Sprintf("file-%s-%s-%d", name, look, s.width))
				p.audit(name, look == "light")
			}
		}
	}
}

// media shows a tab as on paper, or as on the screen again.
func media(name string) action {
	return call(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: name})
}

// downloads saves the downloads of a tab in a directory.
func downloads(dir string) action {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, cdpbrowser.SetDownloadBehavior, cdpbrowser.SetDownloadBehaviorParams{Behavior: "allow", DownloadPath: dir})
		return err
	})
}
