package query_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/gamespy/query"
)

const whole = `\hostname\A\player_0\Host\final\\queryid\2.1`

func address(i int) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{192, 0, 2, byte(i >> 8)}), uint16(i))
}

func addresses(n int) (list []netip.AddrPort) {
	for i := range n {
		list = append(list, address(1+i))
	}
	return list
}

// names returns the names of servers by address.
func names(results []query.Result) map[netip.AddrPort]string {
	m := map[netip.AddrPort]string{}
	for _, r := range results {
		m[r.From] = r.Pairs.ServerInfo().HostName
	}
	return m
}

func TestScan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		asked := map[netip.AddrPort][]time.Duration{}
		conn := newFakeConn(func(c *fakeConn, to netip.AddrPort, datagram string) error {
			require.Equal(t, `\status\`, datagram)
			asked[to] = append(asked[to], time.Since(begin))
			switch len(asked[to]) {
			case 1:
				if to == address(1) {
					c.deliver(40*time.Millisecond, to, whole, whole)
				}
			case 2: // drops the first query
				if to == address(2) {
					c.deliver(50*time.Millisecond, to, whole)
				}
			}
			return nil
		})
		var s query.Scanner
		results, err := s.Scan(t.Context(), conn, append(addresses(3), address(2)))
		require.NoError(t, err)
		require.Equal(t, map[netip.AddrPort]string{address(1): "A", address(2): "A"}, names(results))
		require.Equal(t, []time.Duration{40 * time.Millisecond, 50 * time.Millisecond},
			[]time.Duration{results[0].Ping, results[1].Ping})
		require.Equal(t, 1, len(asked[address(1)]))
		require.Equal(t, []time.Duration{0, time.Second}, asked[address(2)])
		require.Equal(t, []time.Duration{0, time.Second, 2 * time.Second}, asked[address(3)])
		require.Equal(t, 4050*time.Millisecond, time.Since(begin), "3 s after the last answer")
		require.True(t, conn.deadline.IsZero())
	})
}

func TestScanEndsWhenAllAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		conn := newFakeConn(func(c *fakeConn, to netip.AddrPort, _ string) error {
			c.deliver(time.Millisecond, to, whole)
			return nil
		})
		var s query.Scanner
		results, err := s.Scan(t.Context(), conn, addresses(1000))
		require.NoError(t, err)
		require.Len(t, results, 1000)
		require.Equal(t, 62*20+1, int(time.Since(begin).Milliseconds()), "16 queries each 20 ms")

		results, err = s.Scan(t.Context(), conn, nil)
		require.NoError(t, err)
		require.Empty(t, results)
	})
}

func TestParts(t *testing.T) {
	parts := []string{`\hostname\A\queryid\2.1`, `\player_0\Host\queryid\2.2`, `\player_1\Ann\final\\queryid\2.3`}
	for _, c := range []struct {
		name       string
		order      []int
		incomplete bool
		players    []string
	}{
		{"in order", []int{0, 1, 2}, false, []string{"Host", "Ann"}},
		{"reordered", []int{2, 0, 1}, false, []string{"Host", "Ann"}},
		{"reordered and one lost", []int{2, 0}, true, []string{"Ann"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				conn := newFakeConn(func(k *fakeConn, to netip.AddrPort, _ string) error {
					for _, i := range c.order {
						k.deliver(time.Millisecond, to, parts[i])
						time.Sleep(time.Microsecond) // keeps the datagrams in order
					}
					return nil
				})
				r, err := one(t.Context(), conn, address(1))
				require.NoError(t, err)
				require.Equal(t, c.incomplete, r.Incomplete)
				info := r.Pairs.ServerInfo()
				require.Equal(t, "A", info.HostName)
				require.Equal(t, c.players, info.Players)
			})
		})
	}
}

// If a server always loses a part, the longest answer is kept. A complete answer replaces
// it.
func TestBestAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		conn := newFakeConn(func(c *fakeConn, to netip.AddrPort, _ string) error {
			n++
			c.deliver(time.Millisecond, to, [...]string{
				`\hostname\A\x\y\queryid\8.1`, `\hostname\A\queryid\9.1`, whole,
			}[n-1])
			return nil
		})
		s := query.Scanner{Wait: 300 * time.Millisecond}
		results, err := s.Scan(t.Context(), conn, addresses(1))
		require.NoError(t, err)
		require.False(t, results[0].Incomplete)

		n = 0
		conn.onWrite = func(c *fakeConn, to netip.AddrPort, _ string) error {
			n++
			c.deliver(0, to, [...]string{`\a\b\queryid\1.1`, `\a\b\x\y\queryid\2.1`, `\a\b\queryid\3.1`}[n-1])
			return nil
		}
		results, err = s.Scan(t.Context(), conn, addresses(1))
		require.NoError(t, err)
		require.True(t, results[0].Incomplete)
		require.Len(t, results[0].Pairs, 2)
	})
}

// lan scans the local network as the game does.
func lan(ctx context.Context, conn net.PacketConn) ([]query.Result, error) {
	s := query.Scanner{Broadcast: true}
	return s.Scan(ctx, conn, query.ScanPlan(query.Broadcast()))
}

// errSilent means that a server does not answer.
var errSilent = errors.New("no answer")

// one scans one server.
func one(ctx context.Context, conn net.PacketConn, addr netip.AddrPort) (query.Result, error) {
	var s query.Scanner
	results, err := s.Scan(ctx, conn, []netip.AddrPort{addr})
	if len(results) == 0 {
		return query.Result{}, cmp.Or(err, errSilent)
	}
	return results[0], err
}

func TestScanPlan(t *testing.T) {
	plan := query.ScanPlan(query.Broadcast())
	require.Len(t, plan, 101)
	require.Equal(t, "255.255.255.255:22101", plan[0].String())
	require.Equal(t, "255.255.255.255:22201", plan[100].String())
	for i, a := range plan {
		require.Equal(t, uint16(0x5655+i), a.Port())
	}
}

func TestLAN(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		sent := map[netip.AddrPort]int{}
		conn := newFakeConn(func(c *fakeConn, to netip.AddrPort, _ string) error {
			sent[to]++
			if to.Port() == 22105 {
				c.deliver(time.Millisecond, netip.MustParseAddrPort("10.0.0.5:22105"), whole)
				c.deliver(2*time.Millisecond, netip.MustParseAddrPort("10.0.0.6:22105"), whole)
				c.deliver(3*time.Millisecond, netip.MustParseAddrPort("10.0.0.7:9999"), whole)
			}
			return nil
		})
		results, err := lan(t.Context(), conn)
		require.NoError(t, err)
		require.Len(t, results, 2, "the third answered from an unqueried port")
		require.Equal(t, "10.0.0.5:22105", results[0].From.String())
		require.Equal(t, time.Millisecond, results[0].Ping)
		require.Len(t, sent, 101)
		for to, n := range sent {
			require.Equal(t, 1, n)
			require.Equal(t, netip.MustParseAddr("255.255.255.255"), to.Addr())
		}
		require.Equal(t, 3120, int(time.Since(begin).Milliseconds()))
	})
}

// The wait begins again when a server begins an answer, and when it completes the answer.
func TestScanWaitsAfterAnswers(t *testing.T) {
	const first, second, last = `\hostname\A\queryid\1.1`, `\x\y\queryid\1.2`, `\x\y\final\\queryid\1.2`
	for name, c := range map[string]struct {
		parts []string // one each second
		took  time.Duration
	}{
		"none":     {nil, 3 * time.Second},
		"begun":    {[]string{first}, 4 * time.Second},
		"longer":   {[]string{first, second}, 4 * time.Second},
		"complete": {[]string{first, last}, 5 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			begin := time.Now()
			conn := newFakeConn(func(*fakeConn, netip.AddrPort, string) error { return nil })
			for i, part := range c.parts {
				conn.deliver(time.Duration(1+i)*time.Second, address(1), part)
			}
			s := query.Scanner{Broadcast: true}
			_, err := s.Scan(t.Context(), conn, addresses(1))
			require.NoError(t, err)
			require.Equal(t, c.took, time.Since(begin), name)
		})
	}
}

// Parts, malformed datagrams and new servers do not extend a scan beyond its limit.
func TestScanEnds(t *testing.T) {
	for _, broadcast := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			begin := time.Now()
			conn := newFakeConn(func(*fakeConn, netip.AddrPort, string) error { return nil })
			for i := range 600 { // for a minute
				at := time.Duration(i) * 100 * time.Millisecond
				conn.deliver(at, address(1), fmt.Sprintf(`\x\y\queryid\%d.1`, i), `\x\y`, "junk", "")
				conn.deliver(at, netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}), 1), whole)
			}
			s := query.Scanner{Broadcast: broadcast}
			results, err := s.Scan(t.Context(), conn, addresses(1))
			require.NoError(t, err)
			if broadcast {
				require.Equal(t, 30*time.Second, time.Since(begin))
				require.Greater(t, len(results), 200)
			} else {
				require.Equal(t, 3*time.Second, time.Since(begin))
				require.Len(t, results, 1)
				require.True(t, results[0].Incomplete)
			}
			time.Sleep(time.Minute) // receive the remaining datagrams
		})
	}
}

// A scan ignores the targets and the servers beyond 16,384.
func TestMaxServers(t *testing.T) {
	const most = 16 << 10
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		conn := newFakeConn(func(c *fakeConn, to netip.AddrPort, _ string) error {
			if asked++; asked > 1 {
				return nil
			}
			for i := range most + 3 {
				c.deliver(0, netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}), to.Port()), whole)
			}
			return nil
		})
		s := query.Scanner{Broadcast: true}
		results, err := s.Scan(t.Context(), conn, addresses(most+3))
		require.NoError(t, err)
		require.Len(t, results, most)
		require.Equal(t, most, asked)
	})
}

func TestNoAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		conn := newFakeConn(func(*fakeConn, netip.AddrPort, string) error { return nil })
		_, err := one(t.Context(), conn, address(1))
		require.Equal(t, errSilent, err)
		require.Equal(t, 3*time.Second, time.Since(begin))
	})
}

func TestScanIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := newFakeConn(func(c *fakeConn, to netip.AddrPort, _ string) error {
			if to == address(1) {
				c.deliver(time.Millisecond, to, whole)
			}
			return nil
		})
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		var s query.Scanner
		results, err := s.Scan(ctx, conn, addresses(2))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.EqualError(t, err, "query: scan: context deadline exceeded")
		require.Len(t, results, 1, "the answer so far")
		require.True(t, conn.deadline.IsZero(), "the connection can be used again")

		results, err = s.Scan(ctx, conn, addresses(2))
		require.ErrorIs(t, err, context.DeadlineExceeded, "the context has already ended")
		require.Empty(t, results)
		_, err = one(ctx, conn, address(1))
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
}

func TestWriteErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := newFakeConn(func(c *fakeConn, to netip.AddrPort, _ string) error {
			if to == address(1) {
				return syscall.ENETUNREACH
			}
			c.deliver(0, to, whole)
			return nil
		})
		var s query.Scanner
		results, err := s.Scan(t.Context(), conn, addresses(2))
		require.NoError(t, err, "some queries were sent")
		require.Len(t, results, 1)
		begin := time.Now()
		_, err = s.Scan(t.Context(), conn, addresses(1))
		require.ErrorIs(t, err, syscall.ENETUNREACH)
		require.Zero(t, time.Since(begin))
	})
}

// Read errors from the network do not end a scan. A closed socket ends it.
func TestReadErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		failure, n := error(syscall.ECONNRESET), 10
		conn := newFakeConn(func(c *fakeConn, to netip.AddrPort, _ string) error {
			for range n {
				c.arrived <- arrival{err: failure}
			}
			c.deliver(time.Millisecond, to, whole)
			return nil
		})
		r, err := one(t.Context(), conn, address(1))
		require.NoError(t, err)
		require.False(t, r.Incomplete)

		n = 999
		_, err = one(t.Context(), conn, address(1))
		require.NoError(t, err)

		n = 1000
		_, err = one(t.Context(), conn, address(1))
		require.ErrorIs(t, err, syscall.ECONNRESET)

		time.Sleep(time.Second)
		for len(conn.arrived) > 0 {
			<-conn.arrived
		}
		failure, n = net.ErrClosed, 1
		_, err = one(t.Context(), conn, address(1))
		require.ErrorIs(t, err, net.ErrClosed)
		time.Sleep(time.Second)
	})
}

// On Windows, each query to a dead server may cause a failed read.
func TestManyDeadServers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := newFakeConn(func(c *fakeConn, to netip.AddrPort, _ string) error {
			if to == address(1500) {
				c.deliver(0, to, whole)
			} else {
				c.arrived <- arrival{err: syscall.ECONNRESET}
			}
			return nil
		})
		var s query.Scanner
		results, err := s.Scan(t.Context(), conn, addresses(1500))
		require.NoError(t, err)
		require.Len(t, results, 1)
	})
}

// textAddr is an address that is not a *net.UDPAddr.
type textAddr string

func (textAddr) Network() string  { return "text" }
func (a textAddr) String() string { return string(a) }

func TestOtherConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := newFakeConn(func(c *fakeConn, to netip.AddrPort, _ string) error {
			c.arrived <- arrival{from: textAddr("nonsense"), datagram: whole}
			c.arrived <- arrival{from: textAddr("[::ffff:192.0.2.0]:1"), datagram: whole}
			return nil
		})
		r, err := one(t.Context(), conn, netip.MustParseAddrPort("[::ffff:192.0.2.0]:1"))
		require.NoError(t, err)
		require.Equal(t, address(1), r.From)
	})
}

func TestRealSockets(t *testing.T) {
	conn, silent := packetConn(t), packetConn(t)
	var targets []netip.AddrPort
	for i := range 2 {
		server := packetConn(t)
		info := gamespy.NewServerInfo(fmt.Sprint("Server ", i))
		serve(t, server, &info)
		targets = append(targets, addrOf(server))
	}
	r, err := one(t.Context(), conn, targets[1])
	require.NoError(t, err)
	require.Equal(t, "Server 1", r.Pairs.ServerInfo().HostName)
	require.Positive(t, r.Ping)

	s := query.Scanner{Wait: 100 * time.Millisecond}
	results, err := s.Scan(t.Context(), conn, append(targets, addrOf(silent)))
	require.NoError(t, err)
	require.Len(t, results, 2)
}

// serve answers queries until the test ends.
func serve(t *testing.T, conn net.PacketConn, info *gamespy.ServerInfo) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		var r gamespy.Responder
		done <- query.Serve(ctx, conn, &r, func() *gamespy.ServerInfo { return info })
	}()
	t.Cleanup(func() {
		cancel()
		err := <-done
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

// A master can list all ports of one host, and each port can send the longest possible
// answer. The memory of stored answers is limited.
func TestScanMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		long := `\hostname\` + strings.Repeat("x", 60_000) + `\final\\queryid\1.1`
		conn := newFakeConn(func(c *fakeConn, to netip.AddrPort, _ string) error {
			c.deliver(0, to, long)
			return nil
		})
		var s query.Scanner
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		results, err := s.Scan(t.Context(), conn, addresses(500))
		require.NoError(t, err)
		runtime.GC()
		runtime.ReadMemStats(&after)
		require.Less(t, after.HeapAlloc, before.HeapAlloc+24<<20)
		require.Len(t, results, 500)
		size := 0
		for _, r := range results {
			length := len(r.Pairs.ServerInfo().HostName)
			require.Equal(t, r.Incomplete, length == 0, "only dropped answers are incomplete")
			size += length
		}
		require.Len(t, results[0].Pairs.ServerInfo().HostName, 60_000)
		require.LessOrEqual(t, size, 16<<20)
		require.Greater(t, size, 16<<20-60_100, "no room for another answer")
	})
}
