// Worker is the program of the page without a server. It runs in a worker of the browser, which calls
// it through the object watch:
//
//	watch.open(name, size, plain, read)  read the match; read(offset, length) returns bytes of the file
//	watch.call(name, query)              return the status and the JSON of a call of package calls
package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"syscall/js"
	"time"

	"github.com/bcwire/bcwire/examples/capture"
	"github.com/bcwire/bcwire/examples/watch/internal/calls"
	"github.com/bcwire/bcwire/examples/watch/internal/timeline"
)

const (
	maxMemory = 512 << 20             // bytes of a match
	blockSize = 1 << 20               // bytes that are read at once: each read of the browser takes time
	workTime  = 30 * time.Millisecond // between two pauses for calls
)

func main() {
	var store *timeline.Store
	js.Global().Set("watch", map[string]any{
		"open": js.FuncOf(func(_ js.Value, args []js.Value) any {
			name, size := args[0].String(), int64(args[1].Float())
			plain := args[2].Bool()
			store = timeline.New(timeline.Options{Title: name, Plain: plain, Memory: maxMemory})
			opener := &capture.Opener{Plain: plain, Progress: &timeline.Counter{Store: store, Size: &size}}
			in := opener.NewReader(context.Background(), name, bufio.NewReaderSize(&file{read: args[3], size: size}, blockSize))
			go store.Load(context.Background(), in, newPauses().pause)
			return nil
		}),
		"call": js.FuncOf(func(_ js.Value, args []js.Value) any {
			status, body := calls.Answer(store, args[0].String(), args[1].String())
			return []any{status, string(body)}
		}),
	})
	select {} // the page ends the worker
}

// pauses lets the worker receive calls while it loads. A sleep is none: as long as another goroutine has work, such as
// the one that reads ahead, Go does not return to the browser.
type pauses struct {
	last    time.Time
	port    js.Value // of a channel whose messages come back through the browser
	resumed chan struct{}
}

func newPauses() *pauses {
	channel := js.Global().Get("MessageChannel").New()
	p := &pauses{port: channel.Get("port2"), resumed: make(chan struct{}, 1)}
	channel.Get("port1").Set("onmessage", js.FuncOf(func(js.Value, []js.Value) any {
		p.resumed <- struct{}{}
		return nil
	}))
	return p
}

func (p *pauses) pause() {
	if time.Since(p.last) > workTime {
		p.port.Call("postMessage", nil)
		<-p.resumed
		p.last = time.Now()
	}
}

// file is a file of the browser.
type file struct {
	read   js.Value
	offset int64
	size   int64
}

// Read implements [io.Reader].
func (f *file) Read(b []byte) (n int, err error) {
	if f.offset >= f.size {
		return 0, io.EOF
	}
	data := f.read.Invoke(f.offset, len(b))
	if data.Type() == js.TypeString {
		return 0, errors.New(data.String())
	}
	n = js.CopyBytesToGo(b, data)
	f.offset += int64(n)
	return n, nil
}
