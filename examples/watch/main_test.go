package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/internal/relay/relaytest"
	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
	"github.com/bcwire/bcwire/transport/udp"
)

const battle = "../../testdata/battle.jsonl"

const testTimeout = 20 * time.Second

// running is a running program.
type running struct {
	t      *testing.T
	url    string
	cancel func()
	status chan int
	mu     sync.Mutex
	stderr strings.Builder
}

func (r *running) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stderr.Write(b)
}

func (r *running) log() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stderr.String()
}

// start runs the program until it has printed its address.
func start(t *testing.T, stdin io.Reader, args ...string) *running {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r := &running{t: t, cancel: cancel, status: make(chan int, 1)}
	reader, stdout := io.Pipe()
	go func() {
		r.status <- run(ctx, args, stdin, stdout, r)
		stdout.Close()
	}()
	t.Cleanup(func() { r.stop() })
	line, err := bufio.NewReader(reader).ReadString('\n')
	require.NoError(t, err, r.log())
	r.url = strings.TrimSpace(line)
	require.Regexp(t, `^http://127\.0\.0\.1:\d+/([A-Z2-7]{26}/)?$`, r.url)
	return r
}

// stop interrupts the program and returns its exit status.
func (r *running) stop() int {
	r.t.Helper()
	r.cancel()
	select {
	case status := <-r.status:
		r.status <- status
		return status
	case <-time.After(testTimeout):
		r.t.Fatal("the program does not end")
		return 0
	}
}

func (r *running) get(path string, result any) {
	r.t.Helper()
	response, err := http.Get(r.url + path)
	require.NoError(r.t, err)
	defer response.Body.Close()
	require.Equal(r.t, http.StatusOK, response.StatusCode)
	require.NoError(r.t, json.NewDecoder(response.Body).Decode(result))
}

// info is what the tests need of /api/info.
type info struct {
	Title, Problem      string
	Live, Loading       bool
	Datagrams, Messages int
	Progress            struct{ Read, Size int64 }
	Links               []struct{ Player string }
}

// loaded waits until the input is loaded.
func (r *running) loaded() (i info) {
	r.t.Helper()
	require.Eventually(r.t, func() bool {
		i = info{}
		r.get("api/info", &i)
		return !i.Loading
	}, testTimeout, 10*time.Millisecond)
	return i
}

func TestRecording(t *testing.T) {
	t.Parallel()
	r := start(t, nil, battle)
	i := r.loaded()
	require.Equal(t, "battle.jsonl", i.Title)
	require.Equal(t, []int{5705, 13086}, []int{i.Datagrams, i.Messages})
	require.Empty(t, i.Problem)
	require.Equal(t, i.Progress.Size, i.Progress.Read)
	response, err := http.Get(r.url)
	require.NoError(t, err)
	defer response.Body.Close()
	page, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Contains(t, string(page), "<title>bcwire watch")
	require.Zero(t, r.stop())
	_, err = http.Get(r.url)
	require.Error(t, err)
}

// Without a FILE, the program shows its sample from any directory.
func TestSample(t *testing.T) {
	recorded, err := os.ReadFile("../../testdata/fight.jsonl")
	require.NoError(t, err)
	require.True(t, bytes.Equal(recorded, sample), "examples/watch/fight.jsonl must be a copy of testdata/fight.jsonl")
	t.Chdir(t.TempDir())
	i := start(t, nil).loaded()
	require.Equal(t, "fight.jsonl", i.Title)
	require.Equal(t, bytes.Count(recorded, []byte("\n")), i.Datagrams)
	require.Greater(t, i.Messages, i.Datagrams)
	require.Equal(t, i.Progress.Size, i.Progress.Read)
}

// A match is shown while it is read.
func TestStandardInput(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(battle)
	require.NoError(t, err)
	in, out := io.Pipe()
	r := start(t, in, "-")
	_, err = out.Write(text[:bytes.LastIndexByte(text[:len(text)/2], '\n')+1])
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		var i info
		r.get("api/info", &i)
		return i.Loading && i.Datagrams > 2000
	}, testTimeout, 10*time.Millisecond)
	require.Zero(t, r.stop(), "while it waits for input")
	out.Close()
}

// The page says what is wrong with an input.
func TestBadInputs(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(battle)
	require.NoError(t, err)
	for name, c := range map[string]struct {
		data string
		want string
	}{
		"empty":            {"", "no datagrams; no datagrams of the game were found"},
		"binary":           {"\x00\x01\x02\x03", "unknown format"},
		"other datagram":   {`{"dir":"c2s","hex":"00112233445566778899"}`, "no datagrams of the game were found: is this a capture of a match?"},
		"not enciphered":   {"c2s ff01030fc000007f0000010102030400 00", "the datagrams are not enciphered: start again with -plain"},
		"wrong directions": {"s2c ffd7336138b35b334d60f3d99a", "1 direction (c2s, s2c) of the input corrected"},
		"other text":       {strings.Repeat("Dear Sir or Madam,\n", 50), "unknown format"},
		"malformed line":   {`{"t":1,"hex":"0"}` + "\n" + string(text), ":1: hex: column 1"},
		"truncated line":   {string(text[:len(text)-20]), "unexpected end of JSON input"},
		"truncated pcap":   {"\xd4\xc3\xb2\xa1\x02\x00\x04\x00", "the capture is truncated"},
		"truncated pcapng": {"\x0a\x0d\x0d\x0a\x1c\x00", "the capture is truncated"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "<input>.jsonl")
			if err := os.WriteFile(file, []byte(c.data), 0o600); err != nil {
				file = filepath.Join(t.TempDir(), "input") // systems that allow no such name
				require.NoError(t, os.WriteFile(file, []byte(c.data), 0o600))
			}
			r := start(t, nil, file)
			i := r.loaded()
			require.Contains(t, i.Problem, c.want)
			require.NotEmpty(t, i.Problem)
			require.Zero(t, r.stop())
			require.Contains(t, r.log(), c.want, "the terminal also says it")
			require.NotContains(t, strings.TrimSuffix(r.log(), "\n"), "\n")
		})
	}
}

func TestWrongUse(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args   []string
		status int
		want   string
	}{
		"help":             {[]string{"-h"}, 0, "Usage: watch"},
		"unknown flag":     {[]string{"-nonsense"}, terminal.ExitUsage, "not defined"},
		"two files":        {[]string{"a", "b"}, terminal.ExitUsage, `"b": unexpected argument; give one FILE`},
		"file and server":  {[]string{"-server", "127.0.0.1", "a"}, terminal.ExitUsage, `"a": a FILE and -server exclude each other`},
		"record":           {[]string{"-record", "x"}, terminal.ExitUsage, "-record needs -server"},
		"report of live":   {[]string{"-report", "x", "-server", "127.0.0.1"}, terminal.ExitUsage, "-report needs a name, and has no -server"},
		"report nowhere":   {[]string{"-report", "/does/not/exist.html", battle}, terminal.ExitFailed, "/does/not/exist.html"},
		"limit":            {[]string{"-recordlimit", "1G"}, terminal.ExitUsage, "-recordlimit needs -server"},
		"listen":           {[]string{"-listen", "127.0.0.1:0"}, terminal.ExitUsage, "-listen needs -server"},
		"no server":        {[]string{"-server", ""}, terminal.ExitUsage, "-server: give the HOST"},
		"port of server":   {[]string{"-server", "127.0.0.1", "-port", "22101"}, terminal.ExitUsage, "-port is for captures; give the port of a live match with -server HOST:PORT"},
		"port":             {[]string{"-port", "65536"}, terminal.ExitUsage, "the largest is 65535"},
		"all addresses":    {[]string{"-addr", "0.0.0.0:8080"}, terminal.ExitUsage, "not the IP and port of a loopback address"},
		"another computer": {[]string{"-addr", "192.0.2.1:80"}, terminal.ExitUsage, "the page has no password"},
		"name":             {[]string{"-addr", "localhost:80"}, terminal.ExitUsage, "loopback"},
		"classes":          {[]string{"-classes", "missing.json"}, terminal.ExitUsage, "missing.json"},
		"missing file":     {[]string{"missing.jsonl"}, terminal.ExitFailed, "; relative names begin at "},
		"directory":        {[]string{"."}, terminal.ExitFailed, "is a directory"},
		"server":           {[]string{"-server", "127.0.0.1:0"}, terminal.ExitFailed, "the port must be from 1 to 65535"},
		"own address":      {[]string{"-server", "127.0.0.1:22199", "-listen", "127.0.0.1:22199"}, terminal.ExitFailed, "own address"},
		"record directory": {[]string{"-server", "127.0.0.1:9", "-listen", "127.0.0.1:0", "-record", "/does/not/exist"}, terminal.ExitFailed, "-record: open /does/not/exist"},
	} {
		var stderr bytes.Buffer
		require.Equal(t, c.status, run(t.Context(), c.args, nil, io.Discard, &stderr), name)
		require.Contains(t, stderr.String(), c.want, name)
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	var stderr bytes.Buffer
	require.Equal(t, terminal.ExitFailed, run(t.Context(), []string{"-addr", taken.Addr().String(), battle}, nil, io.Discard, &stderr))
	require.Contains(t, stderr.String(), "-addr "+taken.Addr().String())
}

// A live match has the datagrams that the relay forwards, and the recording has them, too.
func TestLive(t *testing.T) {
	t.Parallel()
	server, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	defer server.Close()
	file := filepath.Join(t.TempDir(), "live.jsonl")
	r := start(t, nil, "-server", server.LocalAddr().String(), "-listen", "127.0.0.1:0", "-record", file)
	_, addr, _ := strings.Cut(r.log(), "watch: ")
	addr, _, _ = strings.Cut(addr, " ")
	player, err := net.Dial("udp", addr)
	require.NoError(t, err)
	defer player.Close()

	sent := play(t, player, server)
	var i info
	require.Eventually(t, func() bool {
		r.get("api/info", &i)
		return i.Datagrams == sent
	}, testTimeout, 10*time.Millisecond)
	require.True(t, i.Live && !i.Loading)
	require.Len(t, i.Links, 1)
	require.Equal(t, "Ann", i.Links[0].Player)
	require.Zero(t, r.stop())
	require.Contains(t, r.log(), "1 client, 0 datagrams refused\n")

	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	recorded := 0
	for _, err := range recording.Read(f) {
		require.NoError(t, err)
		recorded++
	}
	require.Equal(t, sent, recorded)
}

// A live match is shown to those who know the token of its address, and the password of a player only with -passwords.
func TestLiveMatchIsPrivate(t *testing.T) {
	t.Parallel()
	for _, flags := range [][]string{nil, {"-passwords"}} {
		r := start(t, nil, append(flags, "-server", relaytest.Server(t), "-listen", "127.0.0.1:0")...)
		_, addr, _ := strings.Cut(r.log(), "watch: ")
		addr, _, _ = strings.Cut(addr, " ")
		player, err := udp.Dial(t.Context(), addr, udp.Options{Password: "Geheim7"})
		require.NoError(t, err)
		require.NoError(t, player.Send(&opcode.NewPlayerInGame{}))
		var seen struct {
			Rows []struct {
				Number int `json:"n"`
			}
		}
		require.Eventually(t, func() bool {
			r.get("api/messages?name=Connect", &seen)
			return len(seen.Rows) > 0
		}, testTimeout, 10*time.Millisecond)
		var message json.RawMessage
		r.get(fmt.Sprintf("api/message?n=%d", seen.Rows[0].Number), &message)
		require.Equal(t, flags != nil, strings.Contains(string(message), "Geheim7"), "%s", message)
		require.Equal(t, flags == nil, strings.Contains(string(message), "***"), "%s", message)
		require.Equal(t, flags != nil, strings.Contains(string(message), "470065006800"), "%s", message)

		whole, err := url.Parse(r.url)
		require.NoError(t, err)
		for _, path := range []string{"/", "/api/info", "/base.css", "//", whole.Path[:len(whole.Path)-2] + "x/api/info", whole.Path[:len(whole.Path)-1]} {
			response, err := http.Get("http://" + whole.Host + path)
			require.NoError(t, err)
			response.Body.Close()
			require.Equal(t, http.StatusForbidden, response.StatusCode, path)
		}
		require.Zero(t, r.stop())
	}
}

// Connects from forged addresses keep no player out, and are not shown.
func TestForgedConnects(t *testing.T) {
	t.Parallel()
	r := start(t, nil, "-server", relaytest.Server(t), "-listen", "127.0.0.1:0")
	_, addr, _ := strings.Cut(r.log(), "watch: ")
	addr, _, _ = strings.Cut(addr, " ")
	relaytest.Forge(t, addr, 64, 0)
	relaytest.RequireAdmitted(t, addr)
	var i info
	require.Eventually(t, func() bool {
		r.get("api/info", &i)
		return len(i.Links) > 0
	}, testTimeout, 10*time.Millisecond)
	require.Len(t, i.Links, 1)
	require.Equal(t, "Ann", i.Links[0].Player)
	require.Zero(t, r.stop())
}

// Streams that nobody reads, and connections without a request, do not delay the players.
func TestReadersDoNotDelayPlayers(t *testing.T) {
	t.Parallel()
	r := start(t, nil, "-server", relaytest.Server(t), "-listen", "127.0.0.1:0")
	_, addr, _ := strings.Cut(r.log(), "watch: ")
	addr, _, _ = strings.Cut(addr, " ")
	player, err := udp.Dial(t.Context(), addr, udp.Options{})
	require.NoError(t, err)
	require.NoError(t, player.Send(&opcode.NewPlayerInGame{}))
	_, err = player.Receive(t.Context()) // the server sends it back
	require.NoError(t, err)
	var i info
	require.Eventually(t, func() bool {
		r.get("api/info", &i)
		return len(i.Links) == 1
	}, testTimeout, 10*time.Millisecond)
	page, token, _ := strings.Cut(strings.TrimPrefix(r.url, "http://"), "/")
	for n := range 600 {
		conn, err := net.Dial("tcp", page)
		require.NoError(t, err)
		defer conn.Close()
		if n%2 == 0 {
			_, err = fmt.Fprintf(conn, "GET /%sapi/window?link=1 HTTP/1.1\r\nHost: %s\r\n\r\n", token, page)
			require.NoError(t, err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), testTimeout)
	defer cancel()
	for n := range 40 {
		require.NoError(t, player.SendPayload(bytes.Repeat([]byte{byte(n)}, 400), transport.Reliable))
	}
	for n := range 40 {
		e, err := player.Receive(ctx)
		require.NoError(t, err)
		require.Equal(t, bytes.Repeat([]byte{byte(n)}, 400), e.Payload)
	}
	require.Eventually(t, func() bool {
		r.get("api/info", &i)
		return i.Messages >= 80
	}, testTimeout, 10*time.Millisecond)
	require.Empty(t, i.Problem, "no datagram is missing")
	player.Close() // while the relay answers
	require.Zero(t, r.stop())
}

// play sends the first datagrams of a client of the battle, one after the other, and returns their
// number.
func play(t *testing.T, player net.Conn, server *net.UDPConn) (sent int) {
	t.Helper()
	f, err := os.Open(battle)
	require.NoError(t, err)
	defer f.Close()
	var relay *net.UDPAddr // the socket towards the server
	buf := make([]byte, 1<<16)
	for d, err := range recording.Read(f) {
		require.NoError(t, err)
		if d.Client != 1 {
			continue
		}
		if sent++; sent == 300 {
			break
		}
		deadline := time.Now().Add(testTimeout)
		if d.Direction == recording.ToServer {
			_, err = player.Write(d.Data)
			require.NoError(t, err)
			require.NoError(t, server.SetReadDeadline(deadline))
			_, relay, err = server.ReadFromUDP(buf)
			require.NoError(t, err)
			continue
		}
		_, err = server.WriteToUDP(d.Data, relay)
		require.NoError(t, err)
		require.NoError(t, player.SetReadDeadline(deadline))
		_, err = player.Read(buf)
		require.NoError(t, err)
	}
	return sent - 1
}
