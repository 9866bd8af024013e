package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/examples/internal/localhttp"
	"github.com/bcwire/bcwire/examples/internal/terminal/terminaltest"
	"github.com/bcwire/bcwire/examples/lab/siege"
	"github.com/bcwire/bcwire/examples/server/game"
	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// program is the whole program on loopback.
type program struct {
	t      *testing.T
	stdin  io.WriteCloser
	stderr *terminaltest.Buffer
	status chan int
	stop   context.CancelFunc
}

func start(t *testing.T, args ...string) *program {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	r, w := io.Pipe()
	p := &program{t: t, stdin: w, stderr: new(terminaltest.Buffer), status: make(chan int, 1), stop: stop}
	go func() { p.status <- run(ctx, append([]string{"-addr", "127.0.0.1:0"}, args...), r, p.stderr) }()
	t.Cleanup(func() { stop(); w.Close() })
	return p
}

// find waits for a line and returns what a pattern finds in it.
func (p *program) find(pattern string) string {
	p.t.Helper()
	re := regexp.MustCompile(pattern)
	var found []string
	require.Eventually(p.t, func() bool {
		found = re.FindStringSubmatch(p.stderr.String())
		return found != nil
	}, 5*time.Second, 5*time.Millisecond, pattern)
	return found[1]
}

func (p *program) addr() netip.AddrPort {
	return netip.MustParseAddrPort(p.find(`listening addr=(\S+)`))
}

// exits waits for the end of the program.
func (p *program) exits(status int) {
	p.t.Helper()
	select {
	case got := <-p.status:
		require.Equal(p.t, status, got, p.stderr.String())
	case <-time.After(5 * time.Second):
		p.t.Fatal("does not end")
	}
}

// dial returns a socket of a client.
func dial(t *testing.T, to netip.AddrPort) *net.UDPConn {
	conn, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(to))
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	return conn
}

// newGuest returns a client without a network.
func newGuest(t *testing.T, name string) *siege.Guest {
	w := siege.NewWorld(t, func(now time.Time, o join.HostOptions) siege.Server {
		return siege.Server{Host: join.NewHost(now, o)}
	}, join.HostOptions{})
	g := w.Connect(name, "", nil)
	var err error
	g.Session, err = transport.NewClient(time.Now(), transport.ConnectRequest{ConnID: 7}, transport.Options{})
	require.NoError(t, err)
	return g
}

// talk lets a session talk over a socket until it has heard a message of an opcode.
func talk(t *testing.T, conn *net.UDPConn, g *siege.Guest, until func() bool) {
	t.Helper()
	var buf [2048]byte
	for end := time.Now().Add(5 * time.Second); !until(); {
		now := time.Now()
		require.True(t, now.Before(end), "%v", g.Lines)
		for d := g.AppendDatagram(nil, now); len(d) > 0; d = g.AppendDatagram(nil, now) {
			cipher.Encrypt(d)
			_, err := conn.Write(d)
			require.NoError(t, err)
		}
		require.NoError(t, conn.SetReadDeadline(now.Add(20*time.Millisecond)))
		if n, err := conn.Read(buf[:]); err == nil {
			cipher.Decrypt(buf[:n])
			g.Receive(time.Now(), buf[:n])
		}
	}
}

func TestProgram(t *testing.T) {
	t.Parallel()
	record := filepath.Join(t.TempDir(), "match.jsonl")
	p := start(t, "-record", record, "-metrics", "127.0.0.1:0", "-name", "Testing", "-v")
	addr, metrics := p.addr(), p.find(`msg=metrics addr=(\S+)`)
	require.Equal(t, "none", p.find(`policy=(\S+)`))

	g := newGuest(t, "Ann")
	conn := dial(t, addr)
	talk(t, conn, g, func() bool { return g.Count(opcode.OpDeletePlayerUI) > 0 })

	query := dial(t, addr)
	_, err := query.Write([]byte(`\status\`))
	require.NoError(t, err)
	var buf [2048]byte
	require.NoError(t, query.SetReadDeadline(time.Now().Add(5*time.Second)))
	n, err := query.Read(buf[:])
	require.NoError(t, err)
	require.True(t, transport.IsGameSpy(buf[:n]))
	require.Contains(t, string(buf[:n]), `\hostname\Testing\`)
	require.Contains(t, string(buf[:n]), `\numplayers\1\`)
	require.Contains(t, string(buf[:n]), `\player_1\Ann\`)

	require.Contains(t, fetch(t, "http://"+metrics+"/metrics"), `bcwire_messages_received_total{opcode="ChecksumResponse"} 5`)
	fetch(t, "http://"+metrics+"/ready")

	_, err = io.WriteString(p.stdin, "help\nnonsense\nplayers\nsay hello\n")
	require.NoError(t, err)
	talk(t, conn, g, func() bool { return g.Count(opcode.OpChatMessage) > 0 })
	require.Equal(t, "Ann", p.find(`player.name=(Ann).*kills=0`))
	require.Equal(t, game.Commands, p.find(`msg=help commands="(.*)"`))
	require.Equal(t, game.Commands, p.find(`msg="no such command" command=nonsense commands="(.*)"`))

	_, err = io.WriteString(p.stdin, "quit\n")
	require.NoError(t, err)
	talk(t, conn, g, func() bool { return g.Ended != nil && g.Flushed() })
	p.exits(0)
	checkRecord(t, record)
}

// The metrics are for this computer: another name of it, to which the name of a site may resolve, is refused. Connections
// without a request do not keep it out.
func TestMetricsAreGuarded(t *testing.T) {
	t.Parallel()
	p := start(t, "-metrics", "127.0.0.1:0")
	metrics := p.find(`msg=metrics addr=(\S+)`)
	_, port, err := net.SplitHostPort(metrics)
	require.NoError(t, err)
	for host, want := range map[string]int{
		metrics: http.StatusOK, "localhost:" + port: http.StatusOK, "evil.example:" + port: http.StatusForbidden, "127.0.0.1": http.StatusForbidden,
	} {
		for _, path := range []string{"/metrics", "/ready"} {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+metrics+path, nil)
			require.NoError(t, err)
			req.Host = host
			resp, err := http.DefaultClient.Do(req)
			require.NoError(t, err)
			resp.Body.Close()
			require.Equal(t, want, resp.StatusCode, host)
		}
	}
	var idle []net.Conn
	for range localhttp.MaxConns + 20 {
		conn, err := net.Dial("tcp", metrics)
		require.NoError(t, err)
		t.Cleanup(func() { conn.Close() })
		idle = append(idle, conn)
	}
	fetch(t, "http://"+metrics+"/metrics")
	for i, conn := range idle[:20] {
		require.NoError(t, conn.SetReadDeadline(time.Now().Add(5*time.Second)))
		_, err := conn.Read(make([]byte, 1))
		require.False(t, err == nil || os.IsTimeout(err), "connection %d: %v", i, err)
	}
}

func fetch(t *testing.T, url string) string {
	resp, err := http.Get(url)
	require.NoError(t, err)
	defer resp.Body.Close()
	require.Equal(t, http.StatusOK, resp.StatusCode)
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return string(body)
}

func checkRecord(t *testing.T, file string) {
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	count := map[recording.Direction]int{}
	for d, err := range recording.Read(f) {
		require.NoError(t, err)
		count[d.Direction]++
		require.NotEmpty(t, d.Data)
		require.Positive(t, d.Client)
	}
	require.Greater(t, count[recording.ToServer], 5)
	require.Greater(t, count[recording.ToClient], 5)
}

// A recording on a full disk is reported while the match runs, and by the exit status.
func TestRecordingOnFullDisk(t *testing.T) {
	t.Parallel()
	const full = "/dev/full"
	if _, err := os.Stat(full); err != nil {
		t.Skip("there is no " + full)
	}
	p := start(t, "-record", full)
	query := dial(t, p.addr())
	_, err := query.Write([]byte(`\status\`))
	require.NoError(t, err)
	require.Contains(t, p.find(`level=WARN msg="the recording is incomplete" error="(.*)"`), "no space left")
	_, err = io.WriteString(p.stdin, "quit\n")
	require.NoError(t, err)
	p.exits(exitFailed)
	require.Contains(t, p.stderr.String(), "\nserver: write /dev/full: no space left")
}

// At its limit, a recording ends, and the server goes on.
func TestRecordingReachesItsLimit(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "match.jsonl")
	p := start(t, "-record", file, "-recordlimit", "100")
	query := dial(t, p.addr())
	_, err := query.Write([]byte(`\status\`))
	require.NoError(t, err)
	_, err = query.Read(make([]byte, 2048))
	require.NoError(t, err)
	_, err = io.WriteString(p.stdin, "quit\n")
	require.NoError(t, err)
	p.exits(0)
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.LessOrEqual(t, info.Size(), int64(100))
	require.True(t, runtime.GOOS == "windows" || info.Mode() == 0o600, info.Mode())
}

// fullDisk is a file on a disk without space.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// A log on a full disk is reported by the exit status.
func TestLogOnFullDisk(t *testing.T) {
	t.Parallel()
	require.Equal(t, exitFailed, run(t.Context(), []string{"-addr", "127.0.0.1:0"}, strings.NewReader("quit\n"), fullDisk{}))
}

func TestInterrupt(t *testing.T) {
	t.Parallel()
	p := start(t)
	p.addr()
	p.stop()
	p.exits(0)
	require.Contains(t, p.stderr.String(), "msg=closed")
}

func TestProgramThatCannotRun(t *testing.T) {
	taken, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	bad := filepath.Join(t.TempDir(), "bad.json")
	require.NoError(t, os.WriteFile(bad, []byte("{}"), 0o600))
	good := filepath.Join(t.TempDir(), "good.json")
	require.NoError(t, os.WriteFile(good, []byte(`{"schema": "bc-checksum-manifest/1", "name": "test", "rounds": []}`), 0o600))
	for want, args := range map[string][]string{
		"server: listen udp4":                    {"-addr", taken.LocalAddr().String()},
		"server: open /does/not/exist":           {"-manifest", "/does/not/exist"},
		"server: " + bad + ": ":                  {"-manifest", bad},
		"server: open /does/not/exist/x":         {"-record", "/does/not/exist/x"},
		"server: -metrics: ":                     {"-metrics", "nonsense"},
		"server: -master: ":                      {"-master", "no such host"},
		"server: -scripts: open /does/not/exist": {"-manifest", good, "-scripts", "/does/not/exist"},
		"not a directory":                        {"-manifest", good, "-scripts", good},
	} {
		var stderr terminaltest.Buffer
		status := run(t.Context(), append([]string{"-addr", "127.0.0.1:0"}, args...), strings.NewReader(""), &stderr)
		require.Equal(t, exitFailed, status, want)
		require.Contains(t, stderr.String(), want)
	}
}

func TestFlags(t *testing.T) {
	for args, want := range map[string]string{
		"-max 0":                "-max 0 is not between 1 and 16",
		"-max 17":               "-max 17 is not between 1 and 16",
		"-timelimit -1":         "-timelimit -1 is not between 0 and 254",
		"-timelimit 255":        "-timelimit 255 is not between 0 and 254",
		"-fraglimit 999":        "-fraglimit 999 is not between 0 and 254",
		"-system 0":             "-system 0 is not between 1 and 9",
		"-system 10":            "-system 10 is not between 1 and 9",
		"-system 12":            "-system 12 is not between 1 and 9",
		"-system 257":           "-system 257 is not between 1 and 9",
		"-addr nonsense":        `-addr "nonsense" is not an IPv4 address with a port, such as 0.0.0.0:22101`,
		"-addr localhost:22101": `-addr "localhost:22101" is not an IPv4 address`,
		"-addr :22101":          `-addr ":22101" is not an IPv4 address`,
		"-addr [::1]:22101":     `-addr "[::1]:22101" is not an IPv4 address`,
		"-addr [::]:22101":      `-addr "[::]:22101" is not an IPv4 address`,
		"-policy none":          `invalid value "none" for flag -policy: the policies are allowextra, strict, acceptall, learnfirst and stock`,
		"-pause -1s":            "-pause -1s is negative",
		"what":                  `server: "what": unexpected argument; -h lists the flags`,
		"-nonsense":             "not defined",
		"-perip 0":              "server: -perip 0: must be more than 0",
		"-scripts .":            "-scripts needs -manifest",
		"-name=":                "-name has 0 bytes, not 1 to 63",
		"-name Κίρκος":          `-name "Κίρκος" has characters outside of Windows-1252, which the game cannot show`,
		`-name a\b`:             `-name "a\\b" has a backslash or a control character, which browsers cannot show`,
		"-map a\x01":            `-map "a\x01" has a backslash or a control character`,
		"-map a.Миссия":         `-map "a.Миссия" has characters outside of Windows-1252`,
		"-map=":                 "-map has 0 bytes, not 1 to 255",
		"-map x":                `-map "x" is not a script of a mission, such as Multiplayer.Episode.Mission1.Mission1`,
		"-map Mission1":         `-map "Mission1" is not a script of a mission`,
		"-map Multiplayer.Episode.Mission1.Mission1.py": "is not a script of a mission",
		"-map Multiplayer.Episode.Mission1.":            "is not a script of a mission",
		"-map Multiplayer.Episode.1.1":                  "is not a script of a mission",
		"-map Multiplayer/Episode/Mission1/Mission1":    "is not a script of a mission",
		"-master=":                              "-master: empty; give HOST[:PORT]",
		"-manifest=":                            "-manifest: empty; give FILE",
		"-record=":                              "-record: empty; give FILE",
		"-metrics=":                             "-metrics: empty; give IP:PORT",
		"-scripts=":                             "-scripts: empty; give DIR",
		"-recordlimit 1G":                       "-recordlimit needs -record",
		"-stockbeacon":                          "-stockbeacon needs -master",
		"-password " + strings.Repeat("x", 300): "-password: transport: ",

		"-name " + strings.Repeat("é", 64):             "-name has 64 bytes, not 1 to 63",
		"-password x -name " + strings.Repeat("x", 63): "-name has 63 bytes, not 1 to 62",
		"-map " + strings.Repeat("x", 256):             "-map has 256 bytes, not 1 to 255",
	} {
		var stderr terminaltest.Buffer
		require.Equal(t, exitUsage, run(t.Context(), strings.Fields(args), strings.NewReader(""), &stderr), args)
		require.Contains(t, stderr.String(), want, args)
	}
	var stderr terminaltest.Buffer
	require.Zero(t, run(t.Context(), []string{"-h"}, strings.NewReader(""), &stderr))
	require.Contains(t, stderr.String(), "Usage: server")

	for _, args := range [][]string{
		{"-name", strings.Repeat("é", 63), "-map", "Multiplayer.Episode.M." + strings.Repeat("x", 233)},
		{"-system", "9", "-map", "Multiplayer.Episode.My_Mod2.My_Mod2"},
		{"-password", "x", "-name", strings.Repeat("x", 62)},
	} {
		_, err := parseOptions(args, io.Discard)
		require.NoError(t, err)
	}

	stock, err := parseOptions([]string{"-policy", "stock"}, io.Discard)
	require.NoError(t, err)
	require.Equal(t, checksum.Stock, stock.policy)

	manifest := filepath.Join(t.TempDir(), "manifest.json")
	require.NoError(t, os.WriteFile(manifest, []byte(`{"schema": "bc-checksum-manifest/1", "name": "test", "rounds": []}`), 0o600))
	o, err := parseOptions([]string{"-policy", "learnfirst", "-manifest", manifest, "-scripts", t.TempDir()}, io.Discard)
	require.NoError(t, err)
	files, err := o.files()
	require.NoError(t, err)
	require.NotNil(t, files.Files)
	require.Equal(t, "LearnFirst", files.Policy.String())
}

// The last that a master hears is that the server is gone, though it goes on until everybody
// has heard its Disconnect.
func TestLastHeartbeat(t *testing.T) {
	t.Parallel()
	master, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	defer master.Close()
	p := start(t, "-master", master.LocalAddr().String())
	if testdata.Long() { // a player who does not acknowledge the end, for which the server waits
		g := newGuest(t, "Ann")
		talk(t, dial(t, p.addr()), g, func() bool { return g.Count(opcode.OpDeletePlayerUI) > 0 })
	}
	var last string
	var buf [512]byte
	require.NoError(t, master.SetReadDeadline(time.Now().Add(5*time.Second)))
	_, err = master.Read(buf[:])
	require.NoError(t, err)
	_, err = io.WriteString(p.stdin, "quit\n")
	require.NoError(t, err)
	p.exits(0)
	require.NoError(t, master.SetReadDeadline(time.Now().Add(100*time.Millisecond)))
	for {
		n, err := master.Read(buf[:])
		if err != nil {
			break
		}
		last = string(buf[:n])
	}
	require.True(t, strings.HasPrefix(last, `\heartbeat\`), last)
	require.True(t, strings.HasSuffix(last, `\statechanged\2`), last)
}

// Combat is on unless -combat=false, and only -strict refuses what is improbable.
func TestFlagsOfCombat(t *testing.T) {
	for args, want := range map[string][2]bool{
		"": {true, false}, "-combat=false": {false, false}, "-strict": {true, true}, "-strict -combat=false": {false, true},
	} {
		o, err := parseOptions(strings.Fields(args), io.Discard)
		require.NoError(t, err)
		require.Equal(t, want, [2]bool{o.match.Combat, o.match.Strict}, args)
	}
}
