// Package web serves a match to a browser: the page, the interface that the page uses, and the
// changes of a live match.
//
// All calls are GET requests with JSON responses:
//
//	/api/info      the match and its links
//	/api/window    the world of a link during a time
//	/api/events    kills, chat, players who join and leave
//	/api/plot      the condition of a ship over time
//	/api/messages  the list of messages, filtered
//	/api/message   a message with all its fields and bytes
//	/api/traffic   datagrams and bytes over time
//	/api/stream    the changes of a live match, as server-sent events; with from=T since a time
//
// # Security
//
// The server is for one user on one computer. It has no password, so it refuses requests that
// other sites can make a browser send. It compares the Host with the address of the listener, and
// the Origin with the Host. It refuses cross-site requests, except a link to the page.
//
// Connections and streams are limited, in all and for each address. At a limit, the oldest one ends. A
// stream whose reader is too slow ends, too.
//
// Names and chat in a match are not trusted. They are in JSON, and escaped in the page. The policy
// of the page forbids foreign scripts.
package web

import (
	"context"
	"errors"
	"io/fs"
	"log"
	"net"
	"net/http"
	"time"

	"github.com/bcwire/bcwire/examples/watch/internal/match"
)

// Server serves a match.
type Server struct {
	store *match.Store
	files fs.FS
	http  *http.Server
}

// Limits of connections.
const (
	headerTimeout = 10 * time.Second
	idleTimeout   = 2 * time.Minute
	writeTimeout  = time.Minute
	closeTimeout  = 2 * time.Second
	maxHeader     = 16 << 10
)

// New returns a server of a match. Files are the page.
func New(store *match.Store, files fs.FS, logger *log.Logger) (*Server, error) {
	s := &Server{store: store, files: files}
	page, err := newPage(store, files)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/{$}", page)
	mux.Handle("/", http.FileServerFS(files))
	for path, call := range s.calls() {
		mux.HandleFunc(path, call)
	}
	s.http = &http.Server{
		Handler: guard(mux), ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, WriteTimeout: writeTimeout, MaxHeaderBytes: maxHeader, ErrorLog: logger,
		ConnState: new(conns).changed,
	}
	return s, nil
}

// Serve serves until the context ends. It then closes the listener and waits for the requests.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	// The streams end with the context, because Shutdown waits for their requests.
	s.http.BaseContext = func(net.Listener) context.Context { return ctx }
	closed := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(closed)
		done, cancel := context.WithTimeout(context.Background(), closeTimeout)
		defer cancel()
		if s.http.Shutdown(done) != nil {
			_ = s.http.Close() // streams and slow readers
		}
	})
	defer stop()
	if s.store.Info().Live {
		go s.deliver(ctx)
	}
	if err := s.http.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	<-closed // Serve returns before the last requests have ended
	return nil
}
