package web

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/capture"
	"github.com/bcwire/bcwire/examples/internal/localhttp"
	"github.com/bcwire/bcwire/examples/internal/show"
	"github.com/bcwire/bcwire/examples/watch/internal/timeline"
)

const battle = "../../../../testdata/battle.jsonl"

var files = fstest.MapFS{
	"index.html": {Data: []byte("<title>watch</title>")},
	"style.css":  {Data: []byte("body {}")},
	"watch.js":   {Data: []byte("'use strict'")},
}

// site is a running server.
type site struct {
	t     *testing.T
	store *timeline.Store
	addr  string
	stop  func()
	log   bytes.Buffer
}

// datagrams reads the battle.
func datagrams(t *testing.T) (all []*show.Datagram) {
	t.Helper()
	in, err := new(capture.Opener).Open(t.Context(), battle)
	require.NoError(t, err)
	defer in.Close()
	for d, err := range in.Datagrams() {
		require.NoError(t, err)
		own := *d
		own.Data = bytes.Clone(d.Data)
		all = append(all, &own)
	}
	return all
}

// serve starts a server that has the battle.
func serve(t *testing.T, live bool) *site {
	t.Helper()
	s := &site{t: t, store: timeline.New(timeline.Options{Title: "battle <b>", Live: live, Dir: t.TempDir(), Every: 200})}
	for _, d := range datagrams(t) {
		require.NoError(t, s.store.Add(d))
	}
	s.store.Finish()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- Serve(ctx, listener, s.store, "/", files, log.New(&s.log, "", 0)) }()
	s.addr = listener.Addr().String()
	s.stop = sync.OnceFunc(func() {
		cancel()
		require.NoError(t, <-ended)
		s.store.Close()
		http.DefaultClient.CloseIdleConnections()
	})
	t.Cleanup(s.stop)
	return s
}

// request returns a response and its body.
func (s *site) request(method, path string, header http.Header) (*http.Response, string) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, "http://"+s.addr+path, nil)
	require.NoError(s.t, err)
	for name := range header {
		r.Header.Set(name, header.Get(name))
	}
	if host := header.Get("Host"); host != "" {
		r.Host = host
	}
	response, err := http.DefaultTransport.RoundTrip(r)
	require.NoError(s.t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(s.t, err)
	return response, string(body)
}

// get reads a JSON result.
func (s *site) get(path string, result any) {
	s.t.Helper()
	response, body := s.request(http.MethodGet, path, nil)
	require.Equal(s.t, http.StatusOK, response.StatusCode, body)
	require.Equal(s.t, "application/json", response.Header.Get("Content-Type"))
	require.NoError(s.t, json.Unmarshal([]byte(body), result), body)
}

func TestCalls(t *testing.T) {
	s := serve(t, false)
	var info timeline.Info
	s.get("/api/info", &info)
	require.Equal(t, 13086, info.Messages)
	var w struct {
		Snapshot *timeline.Snapshot
		Changes  []map[string]any
	}
	s.get("/api/window?link=1&from=17&to=19", &w)
	require.Len(t, w.Snapshot.Ships, 4)
	require.NotEmpty(t, w.Changes)
	key := w.Snapshot.Ships[0].Key
	s.get("/api/window?link=1&from=1e13&to=1e13", &w) // a recording whose times jump
	w.Snapshot = nil
	s.get("/api/window?link=1&from=17&to=19&snapshot=0", &w)
	require.Nil(t, w.Snapshot)
	var events struct {
		Total  int
		Events []timeline.Event
	}
	s.get("/api/events?link=1&from=5&count=2", &events)
	require.Len(t, events.Events, 2)
	require.Equal(t, 5, events.Events[0].Number)
	var plot struct{ Points [][]float64 }
	s.get("/api/plot?link=1&key="+key, &plot)
	require.Len(t, plot.Points[0], 8)
	var rows timeline.Rows
	s.get("/api/messages?name=ChatMessage,TorpedoFire&link=2&dir=s2c&mark=&text=planet&at=12.5&count=5", &rows)
	require.Zero(t, rows.Total)
	s.get("/api/messages?name=ChatMessage&text=Qapla%27!", &rows)
	require.Equal(t, 5, rows.Total)
	s.get(fmt.Sprintf("/api/messages?count=1&n=%d", rows.Rows[0].Number), &rows)
	require.Equal(t, "ChatMessage", rows.Rows[0].Name)
	var details timeline.Details
	s.get(fmt.Sprintf("/api/message?n=%d", rows.Rows[0].Number), &details)
	require.Contains(t, string(details.JSON), "Qapla'!")
	var traffic timeline.Traffic
	s.get("/api/traffic", &traffic)
	require.Len(t, traffic.Links, 5)

	response, body := s.request(http.MethodGet, "/api/window?link=1&from=10&to=40", http.Header{"Accept-Encoding": {"gzip"}})
	require.Equal(t, "gzip", response.Header.Get("Content-Encoding"))
	require.Less(t, len(body), 300_000)
	response, body = s.request(http.MethodHead, "/api/info", nil)
	require.Equal(t, http.StatusOK, response.StatusCode)
	require.Empty(t, body)
}

func TestPage(t *testing.T) {
	s := serve(t, true)
	response, body := s.request(http.MethodGet, "/", nil)
	require.Equal(t, http.StatusOK, response.StatusCode)
	require.Equal(t, "<title>watch</title>", body)
	for name, want := range map[string]string{
		"Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
		"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": "no-store", "Access-Control-Allow-Origin": "",
	} {
		require.Equal(t, want, response.Header.Get(name), name)
	}
	response, _ = s.request(http.MethodGet, "/style.css", nil)
	require.Contains(t, response.Header.Get("Content-Type"), "text/css")
	response, _ = s.request(http.MethodGet, "/watch.js", nil)
	require.Contains(t, response.Header.Get("Content-Type"), "javascript")
	response, _ = s.request(http.MethodGet, "/missing.js", nil)
	require.Equal(t, http.StatusNotFound, response.StatusCode)
}

// Requests of other sites are refused, and every refusal says why.
func TestRefusedRequests(t *testing.T) {
	s := serve(t, true)
	_, port, err := net.SplitHostPort(s.addr)
	require.NoError(t, err)
	get, info := http.MethodGet, "/api/info"
	for name, c := range map[string]struct {
		method, path string
		header       http.Header
		status       int
	}{
		"own":                  {get, info, http.Header{}, 200},
		"localhost":            {get, info, http.Header{"Host": {"localhost:" + port}}, 200},
		"own origin":           {get, info, http.Header{"Origin": {"http://" + s.addr}, "Sec-Fetch-Site": {"same-origin"}}, 200},
		"typed address":        {get, "/", http.Header{"Sec-Fetch-Site": {"none"}, "Sec-Fetch-Mode": {"navigate"}}, 200},
		"link of another site": {get, "/", http.Header{"Sec-Fetch-Site": {"cross-site"}, "Sec-Fetch-Mode": {"navigate"}, "Sec-Fetch-Dest": {"document"}}, 200},
		"frame":                {get, "/", http.Header{"Sec-Fetch-Site": {"cross-site"}, "Sec-Fetch-Mode": {"navigate"}, "Sec-Fetch-Dest": {"iframe"}}, 403},
		"link to a call":       {get, info, http.Header{"Sec-Fetch-Site": {"cross-site"}, "Sec-Fetch-Mode": {"navigate"}, "Sec-Fetch-Dest": {"document"}}, 403},
		"rebinding":            {get, info, http.Header{"Host": {"evil.example:" + port}}, 403},
		"rebinding the page":   {get, "/", http.Header{"Host": {"evil.example"}}, 403},
		"another port":         {get, info, http.Header{"Host": {"127.0.0.1:1"}}, 403},
		"another address":      {get, info, http.Header{"Host": {"127.0.0.2:" + port}}, 403},
		"no port":              {get, info, http.Header{"Host": {"127.0.0.1"}}, 403},
		"odd host":             {get, info, http.Header{"Host": {"localhost.evil:" + port}}, 403},
		"another origin":       {get, info, http.Header{"Origin": {"http://evil.example"}}, 403},
		"null origin":          {get, info, http.Header{"Origin": {"null"}}, 403},
		"other scheme":         {get, info, http.Header{"Origin": {"https://" + s.addr}}, 403},
		"script of a site":     {get, info, http.Header{"Sec-Fetch-Site": {"cross-site"}, "Sec-Fetch-Mode": {"no-cors"}}, 403},
		"window of a site":     {get, "/api/window?link=1", http.Header{"Sec-Fetch-Site": {"same-site"}}, 403},
		"POST":                 {http.MethodPost, info, http.Header{}, 405},
		"OPTIONS":              {http.MethodOptions, info, http.Header{}, 405},
		"DELETE":               {http.MethodDelete, "/", http.Header{}, 405},
	} {
		response, body := s.request(c.method, c.path, c.header)
		require.Equal(t, c.status, response.StatusCode, name)
		require.Empty(t, response.Header.Get("Access-Control-Allow-Origin"), name)
		require.Equal(t, policy, response.Header.Get("Content-Security-Policy"), name)
		if c.status != 200 {
			require.Regexp(t, `^\{"error":".{10,}"\}$`, body, name)
		}
	}
}

// Parameters that make no sense get a text that says what to do.
func TestWrongParameters(t *testing.T) {
	s := serve(t, true)
	for path, want := range map[string]struct {
		status int
		text   string
	}{
		"/api/window":                                       {400, "link: give"},
		"/api/window?link=1&from=soon":                      {400, "from: give a time in seconds"},
		"/api/window?link=1&from=10":                        {400, "at most 30 seconds"},
		"/api/window?link=1&from=NaN&to=1":                  {400, "from: give"},
		"/api/window?link=1&from=-Inf&to=1":                 {400, "from: give"},
		"/api/window?link=1&from=0&to=1e300":                {400, "to: give"},
		"/api/window?link=1&from=0&to=31":                   {400, "at most 30 seconds"},
		"/api/window?link=1&from=2&to=1":                    {400, "from <= to"},
		"/api/window?link=-1&from=0&to=1":                   {400, "link: give a whole number from 1"},
		"/api/window?link=77&from=0&to=1":                   {404, "there is no link 77; /api/info lists the links"},
		"/api/window?link=99999999999999999999&from=0":      {400, "link: give"},
		"/api/window?link=1&from=0&to=1&snapshot=2":         {400, "snapshot: give a whole number from 0 to 1"},
		"/api/events?link=1&from=-1":                        {400, "from: give"},
		"/api/events?link=1&count=1001":                     {400, "count: give a whole number from 0 to 1000"},
		"/api/events?link=6":                                {404, "no link 6"},
		"/api/plot?link=1&key=" + strings.Repeat("x", 1001): {400, "key: give at most 1000 bytes"},
		"/api/messages?count=201":                           {400, "count: give"},
		"/api/messages?from=1.5":                            {400, "from: give"},
		"/api/messages?dir=up":                              {400, "dir is c2s or s2c"},
		"/api/messages?mark=odd":                            {400, "a mark is one of error, dialect"},
		"/api/messages?text=%ff":                            {400, "text: give"},
		"/api/messages?text=%zz":                            {400, "the parameters are malformed"},
		"/api/messages?at=soon":                             {400, "at: give a time"},
		"/api/messages?n=-1":                                {400, "n: give"},
		"/api/message":                                      {400, "n: give"},
		"/api/message?n=13086":                              {404, "no message 13086; the first is 0 and the last 13085"},
		"/api/nothing":                                      {404, "there is no such call"},
		"/api/":                                             {404, "there is no such call"},
	} {
		response, body := s.request(http.MethodGet, path, nil)
		require.Equal(t, want.status, response.StatusCode, "%s: %s", path, body)
		var e struct{ Error string }
		require.NoError(t, json.Unmarshal([]byte(body), &e))
		require.Contains(t, e.Error, want.text, path)
	}
	for _, path := range []string{"/../server.go", "/%2e%2e/server.go", "//evil.example/"} {
		response, _ := s.request(http.MethodGet, path, nil)
		require.NotEqual(t, http.StatusOK, response.StatusCode, path)
	}
}

// A hundred pages follow a match, and all receive the same changes.
func TestFollowers(t *testing.T) {
	s := serve(t, true)
	var now timeline.Window
	s.get("/api/window?link=1", &struct{ *timeline.Window }{&now})
	require.Len(t, now.Snapshot.Ships, 2)
	require.Equal(t, now.From, now.To)
	all := datagrams(t)
	next := fmt.Sprintf("/api/window?link=1&snapshot=0&from=%v", now.To)
	_, nothing := s.request(http.MethodGet, next, nil)
	require.Contains(t, nothing, `"changes":[]`)
	for _, d := range all[len(all)/2 : len(all)/2+200] {
		d.Time = now.To + 10
		require.NoError(t, s.store.Add(d))
	}
	var pages sync.WaitGroup
	var answers [100]string
	for i := range answers {
		pages.Go(func() { _, answers[i] = s.request(http.MethodGet, next, nil) })
	}
	pages.Wait()
	require.Contains(t, answers[0], `"kind":"state"`, "a retransmission moves nothing")
	for _, answer := range answers {
		require.Equal(t, answers[0], answer)
	}
}

// pipes is a listener for connections in memory. It pretends to listen on loopback.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

type pipe struct{ net.Conn }

func (pipe) LocalAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }

func (p *pipes) Addr() net.Addr { return pipe{}.LocalAddr() }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.conns:
		return pipe{conn}, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

// connect opens a connection, on which the client sends a text.
func (p *pipes) connect(t *testing.T, text string) net.Conn {
	client, server := net.Pipe()
	p.conns <- server
	synctest.Wait()
	if text != "" {
		_, err := io.WriteString(client, text)
		require.NoError(t, err)
		synctest.Wait()
	}
	return client
}

// inMemory serves an empty match to connections in memory, in virtual time. It returns a function that ends the server,
// and returns how long that took. No goroutine may be left.
func inMemory(t *testing.T, test func(t *testing.T, p *pipes, end func() time.Duration)) {
	synctest.Test(t, func(t *testing.T) {
		store := timeline.New(timeline.Options{Title: "match", Live: true, Dir: t.TempDir()})
		defer store.Close()
		p := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- Serve(ctx, p, store, "/", files, log.New(io.Discard, "", 0)) }()
		test(t, p, func() time.Duration {
			began := time.Now()
			cancel()
			require.NoError(t, <-ended)
			return time.Since(began)
		})
	})
}

const getInfo = "GET /api/info HTTP/1.1\r\nHost: localhost\r\n"

// Connections are limited, whether they send nothing, half a request, or a request. At the limit the oldest ones
// without a request end, and the page stays reachable.
func TestConnections(t *testing.T) {
	inMemory(t, func(t *testing.T, p *pipes, end func() time.Duration) {
		const more = 100
		var open []net.Conn
		for i := range localhttp.MaxConns + more {
			open = append(open, p.connect(t, []string{"", getInfo, getInfo + "\r\n"}[i%3]))
		}
		var closed, want []int
		for i, conn := range open {
			if i%3 < 2 && len(want) < more {
				want = append(want, i)
			}
			if err := conn.SetDeadline(time.Time{}); err != nil { // a pipe without an end
				closed = append(closed, i)
			}
		}
		require.Equal(t, want, closed)
		response, err := http.ReadResponse(bufio.NewReader(p.connect(t, getInfo+"Connection: close\r\n\r\n")), nil)
		require.NoError(t, err)
		var info timeline.Info
		require.NoError(t, json.NewDecoder(response.Body).Decode(&info))
		require.Equal(t, "match", info.Title)
		end()
	})
}

// A client that does not read its answer delays the end of the server, but not for long. A silent client does not.
func TestGracefulEnd(t *testing.T) {
	for text, want := range map[string]time.Duration{"": 0, getInfo: 0, getInfo + "\r\n": closeTimeout} {
		inMemory(t, func(t *testing.T, p *pipes, end func() time.Duration) {
			p.connect(t, text)
			require.Equal(t, want, end().Truncate(closeTimeout), "%q", text)
		})
	}
}
