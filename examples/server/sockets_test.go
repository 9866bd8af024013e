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
)

// seat is a bot on a socket, in a goroutine of its own.
type seat struct {
	mu   sync.Mutex
	bot  *robot
	conn *net.UDPConn
	done chan struct{}
}

// sit connects the i-th bot.
func sit(t *testing.T, to netip.AddrPort, i int, o bot.Options) *seat {
	s := &seat{bot: newBot(time.Now(), i, o), conn: dial(t, to), done: make(chan struct{})}
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

func (s *seat) leave(t *testing.T) {
	ask(s, func(p *bot.Player) bool { p.Leave(); return true })
	select {
	case <-s.done:
	case <-time.After(8 * time.Second):
		t.Error("does not leave")
	}
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

// Bots on sockets play a while. Who comes late sees all ships. In the end everybody leaves,
// and is acknowledged.
func TestSockets(t *testing.T) {
	n, d := either(maxSlots, 4), either(20*time.Second, 3*time.Second)
	p := start(t, "-max", strconv.Itoa(maxSlots), "-perip", strconv.Itoa(maxSlots), "-metrics", "127.0.0.1:0")
	addr, metrics := p.addr(), p.find(`msg=metrics addr=(\S+)`)
	var all []*seat
	for i := range n - 1 {
		all = append(all, sit(t, addr, i, bot.Options{Fire: true, Say: "hello"}))
	}
	time.Sleep(2 * time.Second)
	late := sit(t, addr, n-1, bot.Options{})
	all = append(all, late)
	require.Eventually(t, func() bool { return late.sees() == n-1 }, 10*time.Second, 10*time.Millisecond)

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
	for _, s := range all {
		s.leave(t)
	}
	p.stop()
	p.exits(0)
	require.Equal(t, n, strings.Count(p.stderr.String(), "msg=left"))
}
