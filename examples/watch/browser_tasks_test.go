//go:build browser

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/tracing"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// work is what the process of a page has done.
type work struct {
	longest time.Duration // of processor time that a task of the main thread has used; waiting does not count
	cpu     time.Duration // of the whole process, with the worker
	memory  int           // megabytes, at most
}

func (w work) String() string {
	return fmt.Sprintf("longest task of the main thread %v of processor time, %v in all, at most %d MB", w.longest.Round(time.Millisecond), w.cpu.Round(time.Second/10), w.memory)
}

// measure begins to trace the tasks of the browser. The function that it returns ends that.
func (p *tab) measure() (end func() work) {
	p.t.Helper()
	type event struct {
		Name     string
		Pid, Tid int
		Dur      int64 `json:"tdur"` // microseconds of the processor
		Args     struct{ Name string }
	}
	var mu sync.Mutex
	var events []event
	complete := make(chan bool, 1)
	require.NoError(p.t, chromedp.Listen(p.ctx, func(e any) {
		switch e := e.(type) {
		case *tracing.EventDataCollected:
			mu.Lock()
			defer mu.Unlock()
			for _, data := range e.Value {
				var event event
				if json.Unmarshal(data, &event) == nil {
					events = append(events, event)
				}
			}
		case *tracing.EventTracingComplete:
			complete <- true
		}
	}))
	p.run(call(tracing.Start, tracing.StartParams{
		TransferMode: "ReportEvents",
		TraceConfig:  &tracing.TraceConfig{IncludedCategories: []string{"toplevel"}, ExcludedCategories: []string{"*"}},
	}))
	return func() (w work) {
		p.t.Helper()
		p.run(call(tracing.End, cdp.Empty{}))
		select {
		case <-complete:
		case <-time.After(patience):
			p.t.Fatal("the browser does not end the trace")
		}
		mu.Lock()
		defer mu.Unlock()
		mains := map[[2]int]bool{}
		for _, e := range events {
			if e.Name == "thread_name" && e.Args.Name == "CrRendererMain" {
				mains[[2]int{e.Pid, e.Tid}] = true
			}
		}
		tasks, pid := map[int]int{}, 0
		for _, e := range events {
			if !mains[[2]int{e.Pid, e.Tid}] || e.Dur == 0 {
				continue
			}
			w.longest = max(w.longest, time.Duration(e.Dur)*time.Microsecond)
			if tasks[e.Pid]++; tasks[e.Pid] > tasks[pid] {
				pid = e.Pid
			}
		}
		require.Greater(p.t, tasks[pid], 100, "the trace has the tasks of the page")
		w.cpu, w.memory = usedBy(pid)
		return w
	}
}

// usedBy returns the processor time and the most memory of a process of Linux, or zero.
func usedBy(pid int) (cpu time.Duration, megabytes int) {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if m := regexp.MustCompile(`\) \S(?: \S+){10} (\d+) (\d+) `).FindSubmatch(stat); m != nil {
		user, _ := strconv.Atoi(string(m[1]))
		system, _ := strconv.Atoi(string(m[2]))
		cpu = time.Duration(user+system) * 10 * time.Millisecond
	}
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if m := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(status); m != nil {
		megabytes, _ = strconv.Atoi(string(m[1]))
	}
	return cpu, megabytes / 1024
}

// call is a command of the protocol without a result.
func call[P any](command cdp.Command[P, cdp.Empty], params P) action {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, command, params)
		return err
	})
}
