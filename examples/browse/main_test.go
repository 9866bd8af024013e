package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"net/netip"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/gamespy/query"
)

// result is the result of a run of the program.
type result struct {
	status         int
	stdout, stderr string
}

func runBrowse(t *testing.T, args ...string) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status := run(t.Context(), args, &stdout, &stderr)
	return result{status, stdout.String(), stderr.String()}
}

func socket(t *testing.T) (net.PacketConn, netip.AddrPort) {
	t.Helper()
	conn, err := net.ListenPacket("udp4", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	return conn, conn.LocalAddr().(*net.UDPAddr).AddrPort()
}

// server replies to queries as a server of the game does.
func server(t *testing.T, info gamespy.ServerInfo) netip.AddrPort {
	t.Helper()
	conn, addr := socket(t)
	go query.Serve(t.Context(), conn, new(gamespy.Responder), func() *gamespy.ServerInfo { return &info })
	return addr
}

// rawServer replies to each query with the datagrams.
func rawServer(t *testing.T, datagrams ...string) netip.AddrPort {
	t.Helper()
	conn, addr := socket(t)
	go func() {
		buf := make([]byte, 100)
		for {
			_, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			for _, d := range datagrams {
				conn.WriteTo([]byte(d), from)
			}
		}
	}()
	return addr
}

// master runs a master that lists servers.
func master(t *testing.T, servers ...netip.AddrPort) string {
	t.Helper()
	address, err := startMaster(t.Context(), servers)
	require.NoError(t, err)
	return address
}

// The parts of a reply. A test loses the second.
const (
	part1 = `\gamename\bcommander\hostname\Parted\mapname\DM\queryid\7.1`
	part2 = `\numplayers\2\maxplayers\8\gamemode\openplaying\queryid\7.2`
	part3 = `\password\0\player_0\Host\player_1\Ann\final\\queryid\7.3`
)

func find(t *testing.T, text, word string) string {
	t.Helper()
	for line := range strings.Lines(text) {
		if strings.Contains(line, word) {
			return strings.TrimRight(line, "\n")
		}
	}
	t.Fatalf("no line with %q in\n%s", word, text)
	return ""
}

func TestMasterAndServers(t *testing.T) {
	info := gamespy.NewServerInfo("Whole")
	info.Password, info.NumPlayers = true, 3
	for _, c := range []struct {
		name       string
		parts      []string
		incomplete bool
	}{
		{"parts in order", []string{part1, part2, part3}, false},
		{"parts reordered", []string{part3, part1, part2}, false},
		{"parts reordered and one lost", []string{part3, part1}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			whole, parted := server(t, info), rawServer(t, c.parts...)
			address := master(t, whole, parted, whole)
			res := runBrowse(t, "-master", address, "-wait", "200ms", "-players")
			require.Zero(t, res.status, res.stderr)
			require.Empty(t, res.stderr)
			require.Regexp(t, `^\*   Whole +3/8  DM   playing +<?\d+ ms  `+whole.String()+`$`, find(t, res.stdout, "Whole"))
			require.Contains(t, res.stdout, "\n      Ann\n")
			line := find(t, res.stdout, "Parted")
			if c.incomplete {
				require.Regexp(t, `^    Parted +\?/\?  DM   \? +<?\d+ ms  `+parted.String()+`  incomplete$`, line)
				require.Contains(t, res.stdout, "\n2 servers, 1 incomplete\n")
			} else {
				require.Regexp(t, `^    Parted +2/8  DM   playing +<?\d+ ms  `+parted.String()+`$`, line)
				require.Contains(t, res.stdout, "\n2 servers\n")
			}
		})
	}
}

func TestJSON(t *testing.T) {
	t.Parallel()
	a, b := rawServer(t, part3, part1), rawServer(t, part1, part2, part3)
	res := runBrowse(t, "-master", master(t, a, b), "-wait", "200ms", "-json")
	require.Zero(t, res.status, res.stderr)
	byAddress := map[string]map[string]any{}
	for line := range strings.Lines(res.stdout) {
		var o map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &o))
		byAddress[o["address"].(string)] = o
	}
	require.Len(t, byAddress, 2)
	lost, all := byAddress[a.String()], byAddress[b.String()]
	require.Equal(t, []any{true, false}, []any{lost["incomplete"], all["incomplete"]})
	require.Equal(t, []any{nil, 2.0}, []any{lost["numPlayers"], all["numPlayers"]})
	require.Equal(t, []any{"Parted", "Parted"}, []any{lost["name"], all["name"]})
	require.Equal(t, []any{"Host", "Ann"}, all["players"])
	require.Nil(t, all["timeLimit"])
	require.Greater(t, all["ping"], 0.0)
}

func TestAddr(t *testing.T) {
	t.Parallel()
	res := runBrowse(t, "-addr", server(t, gamespy.NewServerInfo("One")).String())
	require.Zero(t, res.status)
	require.Contains(t, res.stdout, "One")
	require.Contains(t, res.stdout, "\n1 server\n")

	_, silent := socket(t)
	res = runBrowse(t, "-addr", silent.String(), "-wait", "50ms")
	require.Zero(t, res.status)
	require.Equal(t, "no servers; no reply from 1 server\n", res.stdout)
}

func TestTargets(t *testing.T) {
	t.Parallel()
	targets, err := host(t.Context(), "127.0.0.1")
	require.NoError(t, err)
	require.Equal(t, query.ScanPlan(netip.MustParseAddr("127.0.0.1")), targets)
	targets, err = host(t.Context(), "127.0.0.1:5")
	require.NoError(t, err)
	require.Equal(t, []netip.AddrPort{netip.MustParseAddrPort("127.0.0.1:5")}, targets)
	for _, addr := range []string{"127.0.0.1:x", "127.0.0.1:65536", "[::1]:5", "::1", "host name"} {
		_, err := host(t.Context(), addr)
		require.Error(t, err, addr)
	}
	o := options{lan: true}
	targets, err = o.targets(t.Context())
	require.NoError(t, err)
	require.Equal(t, query.ScanPlan(query.Broadcast()), targets)
}

// Control characters in names do not reach the terminal.
func TestControlCharacters(t *testing.T) {
	t.Parallel()
	var evil strings.Builder
	for b := range 256 {
		if b != '\\' {
			evil.WriteByte(byte(b))
		}
	}
	var reply strings.Builder
	for _, key := range []string{"hostname", "mapname", "gamemode", "system", "player_0", "numplayers", "mod"} {
		reply.WriteString(`\` + key + `\` + evil.String() + "\x9D0;title\x07\x1b[2J")
	}
	addr := rawServer(t, reply.String()+`\final\\queryid\1.1`).String()
	for _, flag := range []string{"-players", "-json"} {
		res := runBrowse(t, "-addr", addr, flag)
		require.Zero(t, res.status)
		require.True(t, len(res.stdout) > 200)
		for _, r := range res.stdout {
			if r < ' ' && r != '\n' || r >= 0x7F && r < 0xA0 || r == 0xAD {
				require.NotEqual(t, "-players", flag, "%q", r)
				require.Equal(t, rune(0xAD), r, "in JSON")
			}
		}
		lines := map[string]int{"-players": 4, "-json": 1}
		require.Equal(t, lines[flag], strings.Count(res.stdout, "\n"))
	}
}

func TestFailingMasters(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp4", "127.0.0.1:0") // accepts, and sends nothing
	require.NoError(t, err)
	defer l.Close()
	ctx, cancel := context.WithCancel(t.Context())
	interrupt := time.AfterFunc(listTimeout-5*time.Second, cancel) // without -timeout, the list would still be waited for
	var stdout, stderr bytes.Buffer
	require.Equal(t, exitFailed, run(ctx, []string{"-master", l.Addr().String(), "-timeout", "200ms"}, &stdout, &stderr))
	require.True(t, interrupt.Stop())
	require.Contains(t, stderr.String(), "browse: -master "+l.Addr().String()+": no complete reply in time: query: list: context deadline exceeded")

	l.Close()
	res := runBrowse(t, "-master", l.Addr().String())
	require.Equal(t, exitFailed, res.status)
	require.Contains(t, res.stderr, l.Addr().String())
}

func TestDemo(t *testing.T) {
	t.Parallel()
	res := runBrowse(t, "-demo", "-players")
	require.Zero(t, res.status)
	require.Regexp(t, `(?m)^    Friday Night +2/8 .*\n      Dedicated Server\n      Ann\n      Bob$`, res.stdout)
	require.Regexp(t, `(?m)^\*   Clan War +0/8  Team DM  settings`, res.stdout)
	require.True(t, strings.HasSuffix(res.stdout, "\n2 servers\n"))
}

// fullDisk is a file on a disk without space.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

func TestOutputOnFullDisk(t *testing.T) {
	t.Parallel()
	_, silent := socket(t)
	for _, flag := range []string{"-json=false", "-watch"} {
		var stderr bytes.Buffer
		require.Equal(t, exitFailed, run(t.Context(), []string{"-addr", silent.String(), "-wait", "10ms", flag}, fullDisk{}, &stderr))
		require.Equal(t, "browse: "+syscall.ENOSPC.Error()+"\n", stderr.String(), flag)
	}
}

func TestInterrupt(t *testing.T) {
	t.Parallel()
	_, silent := socket(t)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	var stdout, stderr bytes.Buffer
	require.Equal(t, exitInterrupted, run(ctx, []string{"-addr", silent.String()}, &stdout, &stderr))
	require.Empty(t, stderr.String())
}

func TestUsage(t *testing.T) {
	t.Parallel()
	res := runBrowse(t, "-h")
	require.Zero(t, res.status)
	require.Contains(t, res.stderr, "Usage: browse")
	for want, args := range map[string][]string{
		"-addr, -master: give only one of these flags": {"-addr", "a", "-master", "b"},
		"-lan, -demo: give only one of these flags":    {"-lan", "-demo"},
		"-addr: empty; give HOST or HOST:PORT":         {"-addr", ""},
		"-master: empty; give HOST or HOST:PORT":       {"-master", ""},
		"-addr localhost:0: the port must be a number": {"-addr", "localhost:0"},
		"-master 127.0.0.1:0: the port must be":        {"-master", "127.0.0.1:0"},
		"-master 127.0.0.1:x: the port must be":        {"-master", "127.0.0.1:x"},
		"-every needs -watch":                          {"-every", "1s"},
		"-addr 127.0.0.1:65536: the port must be":      {"-addr", "127.0.0.1:65536"},
		`"127.0.0.1": unexpected argument`:             {"127.0.0.1"},
		"-wait 0s: must be more than 0":                {"-wait", "0"},
		"-timeout -1s: must be more than 0":            {"-timeout", "-1s"},
		"flag provided but not defined: -x":            {"-x"},
	} {
		res := runBrowse(t, args...)
		require.Equal(t, exitUsage, res.status)
		require.Contains(t, res.stderr, want)
	}
}
