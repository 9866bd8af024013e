// Package web serves a match to a browser: the page, and the interface that the page uses.
//
// All calls are GET requests with JSON responses: /api/info and so on, see package calls.
//
// # Security
//
// The server is for one user on one computer. The path of a live match has a random token, because other users of the
// computer can reach the server. Requests that other sites can make a browser send are refused. It compares the Host
// with the address of the listener, and the Origin with the Host. It refuses cross-site requests, except a link to
// the page.
//
// Connections are limited. At the limit, the oldest one ends.
//
// Names and chat in a match are not trusted. They are in JSON, and escaped in the page. The policy
// of the page forbids foreign scripts.
package web

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io/fs"
	"log"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/bcwire/bcwire/examples/internal/localhttp"
	"github.com/bcwire/bcwire/examples/watch/internal/calls"
	"github.com/bcwire/bcwire/examples/watch/internal/timeline"
)

// closeTimeout is the time for the requests at the end.
const closeTimeout = 2 * time.Second

// Serve serves a match until the context ends. It then closes the listener and waits for the requests. Files are
// the page, which is at a path such as "/" or "/token/".
func Serve(ctx context.Context, listener net.Listener, store *timeline.Store, path string, files fs.FS, logger *log.Logger) error {
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServerFS(files))
	mux.HandleFunc("/api/", func(w http.ResponseWriter, r *http.Request) { answer(store, w, r) })
	server := localhttp.NewServer(within(path, guard(mux)), logger)
	closed := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(closed)
		done, cancel := context.WithTimeout(context.Background(), closeTimeout)
		defer cancel()
		if server.Shutdown(done) != nil {
			_ = server.Close() // slow readers
		}
	})
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	<-closed // Serve returns before the last requests have ended
	return nil
}

// minCompressed is the size in bytes from which responses are compressed.
const minCompressed = 16 << 10

// answer answers a call with its JSON.
func answer(store *timeline.Store, w http.ResponseWriter, r *http.Request) {
	status, body := calls.Answer(store, strings.TrimPrefix(r.URL.Path, "/api/"), r.URL.RawQuery)
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Vary", "Accept-Encoding")
	if len(body) >= minCompressed && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		body = Compressed(body, gzip.BestSpeed) // the browser is on the same computer
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // the browser may have gone
}

// Compressed returns the data as gzip.
func Compressed(data []byte, level int) []byte {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, level) // a constant is valid
	_, _ = z.Write(data)                   // a buffer takes everything
	_ = z.Close()
	return b.Bytes()
}
