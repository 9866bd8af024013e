package recorder_test

import (
	"bytes"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/examples/capture"
	"github.com/bcwire/bcwire/examples/server/internal/recorder"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// scripted is a socket on which datagrams of a test arrive.
type scripted struct {
	querySocket
	from     netip.AddrPort
	datagram []byte
	sent     map[netip.AddrPort][][]byte // deciphered
}

func (s *scripted) ReadFromUDPAddrPort(b []byte) (int, netip.AddrPort, error) {
	return copy(b, s.datagram), s.from, nil
}

func (s *scripted) WriteToUDPAddrPort(b []byte, to netip.AddrPort) (int, error) {
	d := bytes.Clone(b)
	if !transport.IsGameSpy(d) {
		cipher.Decrypt(d)
	}
	s.sent[to] = append(s.sent[to], d)
	return len(b), nil
}

// host is a Hub that accepts everybody, behind a recorder.
type host struct {
	t      *testing.T
	socket *scripted
	conn   *recorder.Conn
	follow func(transport.Event)
	hub    *transport.Hub
	file   string
	log    bytes.Buffer
	buf    [2048]byte
}

func newHost(t *testing.T) *host {
	h := &host{t: t, socket: &scripted{sent: map[netip.AddrPort][][]byte{}}, file: filepath.Join(t.TempDir(), "match.jsonl")}
	h.hub = transport.NewHub(time.Now(), transport.HubOptions{Rand: testdata.LowestIDs})
	var err error
	h.conn, err = recorder.Create(h.file, capture.DefaultLimit, h.socket, slog.New(slog.NewTextHandler(&h.log, nil)))
	require.NoError(t, err)
	h.follow = h.conn.Follow()
	return h
}

// receive passes a datagram to the host and sends its replies.
func (h *host) receive(from netip.AddrPort, plain []byte) {
	h.socket.from, h.socket.datagram = from, bytes.Clone(plain)
	if !transport.IsGameSpy(plain) {
		cipher.Encrypt(h.socket.datagram)
	}
	n, addr, err := h.conn.ReadFromUDPAddrPort(h.buf[:])
	require.NoError(h.t, err)
	d := h.buf[:n]
	if !transport.IsGameSpy(d) {
		cipher.Decrypt(d)
	}
	h.hub.Receive(time.Now(), addr, d)
	for e := range h.hub.Events() {
		h.follow(e)
		if e.Kind == transport.EventConnect {
			if s, err := h.hub.Accept(e); err == nil {
				require.NoError(h.t, s.Send([]byte{0x20, 0}, transport.Reliable))
			}
		}
	}
	for to, d := range h.hub.Datagrams(time.Now()) {
		d = bytes.Clone(d)
		cipher.Encrypt(d)
		_, err := h.conn.WriteToUDPAddrPort(d, to)
		require.NoError(h.t, err)
	}
}

// join lets a client join at an address, and returns its peer ID.
func (h *host) join(addr netip.AddrPort) byte {
	s, err := transport.NewClient(time.Now(), transport.ConnectRequest{ConnID: 77}, transport.Options{})
	require.NoError(h.t, err)
	for sent := false; !sent || !s.Flushed(); time.Sleep(50 * time.Millisecond) {
		if !sent && s.PeerID().Valid() {
			require.NoError(h.t, s.Send([]byte{0x2A, 0x20}, transport.Reliable))
			sent = true
		}
		for d := range s.Datagrams(time.Now()) {
			h.receive(addr, bytes.Clone(d))
		}
		for _, d := range h.socket.sent[addr] {
			s.Receive(time.Now(), d)
		}
		delete(h.socket.sent, addr)
		for e := range s.Events() {
			require.NotEqual(h.t, transport.EventEnded, e.Kind)
		}
	}
	return byte(s.PeerID())
}

// recorded returns the datagrams in the file.
func (h *host) recorded() (all []recording.Datagram) {
	require.NoError(h.t, h.conn.Close())
	f, err := os.Open(h.file)
	require.NoError(h.t, err)
	defer f.Close()
	for d, err := range recording.Read(f) {
		require.NoError(h.t, err)
		d.Data = bytes.Clone(d.Data)
		all = append(all, d)
	}
	return all
}

func connect(t *testing.T, id byte) []byte {
	d, err := (&transport.Packet{PeerID: -1, Messages: []transport.Message{
		transport.NewMessage(0, &transport.ConnectRequest{ConnID: uint32(id), LocalIP: [4]byte{10, 0, 0, id}}),
	}}).MarshalBinary()
	require.NoError(t, err)
	return d
}

func address(n int) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, byte(n >> 16), byte(n >> 8), byte(n)}), 22102)
}

// A flood of forged Connects, of garbage and of queries fills no file. A line of the log counts them. A player who
// joins in the middle of it is in the file from the Connect on, with its time.
func TestStrangersAreNotRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		flood := func() {
			for i := range 4000 {
				h.receive(address(1000+i), connect(t, byte(i)))
				h.receive(address(1000+i), []byte{99, 0})
				h.receive(address(9), []byte(`\status\`))
				time.Sleep(time.Millisecond)
			}
		}
		flood()
		began := time.Now()
		ann := h.join(address(1))
		flood()
		time.Sleep(2 * time.Minute)
		h.receive(address(1), []byte{ann, 0})

		players, texts := 0, 0
		var first, last *recording.Datagram
		all := h.recorded()
		for i := range all {
			d := &all[i]
			if transport.IsGameSpy(d.Data) {
				texts++
				continue
			}
			players++
			if first == nil {
				first = d
			}
			last = d
		}
		require.Greater(t, players, 4)
		require.Less(t, players, 60, "of Ann only")
		require.Less(t, texts, 8000, "a limited rate")
		require.Positive(t, texts)
		cipher.Decrypt(first.Data)
		require.Equal(t, byte(0xFF), first.Data[0], "the Connect")
		require.InDelta(t, began.Sub(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)).Seconds(), first.Seconds, 0.001)
		require.Greater(t, last.Seconds, first.Seconds)
		info, err := os.Stat(h.file)
		require.NoError(t, err)
		require.Less(t, info.Size(), int64(2<<20))
		require.Regexp(t, `level=INFO msg="not recorded: no session has opened, or too many queries" datagrams=\d+`, h.log.String())
	})
}

// Held datagrams take limited memory, and the newest stay: a client is recorded though strangers have filled it.
func TestHeldDatagramsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		for i := range 20_000 {
			h.receive(address(10_000+i), bytes.Repeat([]byte{0xFF}, 600))
		}
		require.LessOrEqual(t, h.conn.Held(), 1<<20)
		h.join(address(1))
		all := h.recorded()
		require.Greater(t, len(all), 2)
		require.Less(t, len(all), 50)
		require.Zero(t, all[0].Seconds)
	})
}
