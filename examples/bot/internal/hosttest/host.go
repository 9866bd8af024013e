// Package hosttest is a host for the tests of the bot: it lets clients join as the stock
// host does, or otherwise where a test says so, and then does what the test says.
package hosttest

import (
	"iter"
	"net/netip"
	"time"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
)

// Map is that of the games of a [Host].
const Map = "Multiplayer.Episode.Mission1.Mission1"

// Options say how a [Host] behaves. The zero value is the stock host, whose files nobody
// knows.
type Options struct {
	Refuse    transport.BootReason // not 0: everybody, for this reason
	Deaf      bool                 // nobody is answered
	Files     checksum.Server
	Settings  *opcode.Settings
	AfterInit []opcode.Message // sent with GameInit, as OpenBC does
	// Ready is sent in answer to NewPlayerInGame, nil being MissionInit and the news
	// that the player has joined.
	Ready []opcode.Message
	// Hook takes a message before the host does, and says whether it is done with it.
	Hook func(*Client, opcode.Message) bool
}

// Host is a host. It is driven like a [transport.Hub].
type Host struct {
	Options
	Hub     *transport.Hub
	Clients []*Client // all that there ever were
}

// New returns a host.
func New(now time.Time, o Options) *Host {
	return &Host{Options: o, Hub: transport.NewHub(now, transport.HubOptions{})}
}

// Last returns the client that has come last, nil if there is none.
func (h *Host) Last() *Client {
	if len(h.Clients) == 0 {
		return nil
	}
	return h.Clients[len(h.Clients)-1]
}

// Receive takes a datagram, deciphered.
func (h *Host) Receive(now time.Time, from netip.AddrPort, datagram []byte) {
	h.Hub.Receive(now, from, datagram)
	h.handle()
}

// Datagrams returns what is due.
func (h *Host) Datagrams(now time.Time) iter.Seq2[netip.AddrPort, []byte] {
	return func(yield func(netip.AddrPort, []byte) bool) {
		h.Hub.Datagrams(now)(yield)
		h.handle()
	}
}

func (h *Host) handle() {
	for e := range h.Hub.Events() {
		c := h.client(e.Session)
		switch {
		case e.Kind == transport.EventConnect:
			h.connect(e)
		case c == nil:
		case e.Kind == transport.EventPayload:
			c.payload(e.Payload)
		case e.Kind == transport.EventSystem:
			c.named(e.Body)
		case e.Kind == transport.EventEnded:
			c.Ended, c.End = true, e.End
		}
	}
}

func (h *Host) client(s *transport.Session) *Client {
	for _, c := range h.Clients {
		if s != nil && c.Session == s {
			return c
		}
	}
	return nil
}

func (h *Host) connect(e transport.Event) {
	switch {
	case h.Deaf:
		return
	case h.Refuse != 0:
		h.Hub.Refuse(e, h.Refuse)
		return
	}
	s, err := h.Hub.Accept(e)
	if err != nil || h.client(s) != nil {
		return
	}
	c := &Client{host: h, Session: s}
	h.Clients = append(h.Clients, c)
	var first *opcode.ChecksumRequest
	c.exchange, first = h.Files.NewExchange()
	c.Send(first)
}
