package transport_test

import (
	"errors"
	"net"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// quick lets a session on a real socket send after a millisecond.
var quick = transport.Options{Tick: time.Millisecond}

// echo is a server that sends payloads back.
type echo struct{ conn *net.UDPConn }

// serve is the loop of a server, with its socket and the cipher. It ends when all clients
// have disconnected.
func (s echo) serve() error {
	conn := s.conn
	hub := transport.NewHub(time.Now(), transport.HubOptions{Rand: testdata.LowestIDs, Session: quick})
	buf := make([]byte, 2048)
	for joined := 0; joined == 0 || hub.Len() > 0 || !hub.Flushed(); {
		if err := conn.SetReadDeadline(hub.NextDeadline()); err != nil {
			return err
		}
		n, addr, err := conn.ReadFromUDPAddrPort(buf)
		now := time.Now()
		if err == nil {
			if !transport.IsGameSpy(buf[:n]) {
				cipher.Decrypt(buf[:n])
			}
			hub.Receive(now, addr, buf[:n])
		} else if !errors.Is(err, os.ErrDeadlineExceeded) {
			return err
		}
		for e := range hub.Events() {
			switch e.Kind {
			case transport.EventConnect:
				if _, err := hub.Accept(e); err != nil {
					return err
				}
				joined++
			case transport.EventPayload:
				if err := e.Session.Send(e.Payload, e.Delivery); err != nil {
					return err
				}
			}
		}
		for addr, datagram := range hub.Datagrams(now) {
			cipher.Encrypt(datagram)
			if _, err := conn.WriteToUDPAddrPort(datagram, addr); err != nil {
				return err
			}
		}
	}
	return nil
}

// roundTrip is the loop of a client: it sends a payload, waits for the reply, and disconnects.
func (s echo) roundTrip(payload []byte) (reply []byte, err error) {
	conn, err := net.DialUDP("udp4", nil, s.conn.LocalAddr().(*net.UDPAddr))
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	session, err := transport.NewClient(time.Now(), transport.ConnectRequest{ConnID: 5}, quick)
	if err != nil {
		return nil, err
	}
	buf := make([]byte, 2048)
	for ended := false; !ended || !session.Flushed(); {
		now := time.Now()
		for d := range session.Datagrams(now) {
			cipher.Encrypt(d)
			if _, err := conn.Write(d); err != nil {
				return nil, err
			}
		}
		for e := range session.Events() {
			switch e.Kind {
			case transport.EventConnected:
				if err := session.Send(payload, transport.Reliable); err != nil {
					return nil, err
				}
			case transport.EventPayload:
				reply = append(reply, e.Payload...)
				session.Close()
			case transport.EventEnded:
				ended = true
			}
		}
		if err := conn.SetReadDeadline(session.NextDeadline()); err != nil {
			return nil, err
		}
		n, err := conn.Read(buf)
		if err == nil {
			cipher.Decrypt(buf[:n])
			session.Receive(time.Now(), buf[:n])
		} else if !errors.Is(err, os.ErrDeadlineExceeded) {
			return nil, err
		}
	}
	return reply, nil
}

func TestSocket(t *testing.T) {
	t.Parallel()
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	defer conn.Close()
	done := make(chan error, 1)
	go func() { done <- echo{conn}.serve() }()
	payload := numbered(5000)
	reply, err := echo{conn}.roundTrip(payload)
	require.NoError(t, err)
	require.Equal(t, payload, reply)
	require.NoError(t, <-done)
}
