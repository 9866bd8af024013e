package main

import (
	"errors"
	"net"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/cipher"
	bot "github.com/bcwire/bcwire/examples/bot/player"
	"github.com/bcwire/bcwire/examples/lab/siege"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/testdata"
)

// choose is how long bots on sockets take to choose a ship.
const choose = 10 * time.Millisecond

// seat is a bot on a socket, in a goroutine of its own.
type seat struct {
	mu   sync.Mutex
	bot  *siege.Robot
	conn *net.UDPConn
	done chan struct{}
}

// sit connects the i-th bot.
func sit(t *testing.T, to netip.AddrPort, i int, o bot.Options) *seat {
	s := &seat{bot: siege.NewBot(time.Now(), i, o), conn: dial(t, to), done: make(chan struct{})}
	go s.run()
	return s
}

func (s *seat) run() {
	defer close(s.done)
	var in [2048]byte
	out := make([]byte, 0, 512)
	for {
		s.mu.Lock()
		now := time.Now()
		for d := s.bot.AppendDatagram(out, now); len(d) > 0; d = s.bot.AppendDatagram(out, now) {
			cipher.Encrypt(d)
			_, _ = s.conn.Write(d)
		}
		done, next := s.bot.Done(), s.bot.Client.NextDeadline()
		s.mu.Unlock()
		if done {
			return
		}
		_ = s.conn.SetReadDeadline(next)
		n, err := s.conn.Read(in[:])
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err == nil {
			cipher.Decrypt(in[:n])
			s.mu.Lock()
			s.bot.Receive(time.Now(), in[:n])
			s.mu.Unlock()
		}
	}
}

// ask looks at the bot.
func ask[T any](s *seat, f func(*bot.Player) T) T {
	s.mu.Lock()
	defer s.mu.Unlock()
	return f(s.bot.Player)
}

func (s *seat) state() bot.State { return ask(s, (*bot.Player).State) }

// sees returns how many ships of others the bot sees.
func (s *seat) sees() int {
	return ask(s, func(p *bot.Player) (n int) {
		for range p.Ships() {
			n++
		}
		return n
	})
}

// seats are the bots of a match on sockets.
type seats []*seat

// seeAll reports whether each bot is in the game and sees n ships of others.
func (all seats) seeAll(n int) bool {
	for _, s := range all {
		if s.state() != bot.InGame || s.sees() != n {
			return false
		}
	}
	return true
}

// untilAllSee waits until each bot is in the game and sees n ships of others.
func (all seats) untilAllSee(t *testing.T, n int) {
	t.Helper()
	require.Eventually(t, func() bool { return all.seeAll(n) }, 10*time.Second, 10*time.Millisecond)
}

// leave lets all bots leave, and waits until the server has acknowledged it.
func (all seats) leave(t *testing.T) {
	t.Helper()
	for _, s := range all {
		ask(s, func(p *bot.Player) bool { p.Leave(); return true })
	}
	timeout := time.After(8 * time.Second)
	for i, s := range all {
		select {
		case <-s.done:
		case <-timeout:
			t.Errorf("bot %d does not leave", i)
			return
		}
	}
}

// metric returns the sum of a counter over its labels that match.
func metric(t *testing.T, addr, name, labels string) (sum float64) {
	t.Helper()
	re := regexp.MustCompile(`(?m)^` + name + `\{[^}]*` + labels + `[^}]*\} (\S+)$`)
	for _, m := range re.FindAllStringSubmatch(fetch(t, "http://"+addr+"/metrics"), -1) {
		v, err := strconv.ParseFloat(m[1], 64)
		require.NoError(t, err)
		sum += v
	}
	return sum
}

// Bots on sockets play for a while. A bot that joins later, in the long form of the tests, sees all ships. At the end
// all bots leave, and the server acknowledges it.
func TestSockets(t *testing.T) {
	t.Parallel()
	n, d := testdata.Either(objectid.Slots, 4), testdata.Either(5*time.Second, 100*time.Millisecond)
	p := start(t, "-max", strconv.Itoa(objectid.Slots), "-perip", strconv.Itoa(objectid.Slots), "-metrics", "127.0.0.1:0")
	addr, metrics := p.addr(), p.find(`msg=metrics addr=(\S+)`)
	var all seats
	for i := range n - 1 {
		all = append(all, sit(t, addr, i, bot.Options{Fire: true, Say: "hello", Choose: choose}))
	}
	if testdata.Long() {
		all.untilAllSee(t, n-2)
	}
	all = append(all, sit(t, addr, n-1, bot.Options{Choose: choose}))
	all.untilAllSee(t, n-1)

	began, cpu := time.Now(), processTime(t)
	in, out := metric(t, metrics, "bcwire_datagrams_total", "in"), metric(t, metrics, "bcwire_datagrams_total", "out")
	time.Sleep(d)
	in, out = metric(t, metrics, "bcwire_datagrams_total", "in")-in, metric(t, metrics, "bcwire_datagrams_total", "out")-out
	took := time.Since(began)
	t.Logf("%d bots: %.0f datagrams/s in, %.0f out; %.1f %% of a core for server and bots together",
		n, in/took.Seconds(), out/took.Seconds(), 100*float64(processTime(t)-cpu)/float64(took))
	for _, s := range all {
		require.Equal(t, bot.InGame, s.state())
		require.Equal(t, n-1, s.sees())
	}
	all.leave(t)
	p.stop()
	p.exits(0)
	require.Equal(t, n, strings.Count(p.stderr.String(), "msg=left"))
}
