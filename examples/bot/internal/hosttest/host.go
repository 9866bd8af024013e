// Package hosttest is a host for the tests of the bot. By default it lets clients join as the
// stock host does.
package hosttest

import (
	"iter"
	"net/netip"
	"time"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// Map is the mission script of a [Host].
const Map = "Multiplayer.Episode.Mission1.Mission1"

// Options are the options of a [Host]. The zero value is the stock host with unknown files.
type Options struct {
	Refuse    transport.BootReason // if not 0, the host refuses every client for this reason
	Silent    bool                 // the host replies to no client
	OpenBC    bool                 // the host acknowledges no system message, like OpenBC's server
	Files     checksum.Server
	Settings  *opcode.Settings
	AfterInit []opcode.Message // sent with GameInit, as OpenBC does
	// Ready is the reply to NewPlayerInGame. The default is MissionInit, and a DeletePlayerUI
	// of the player.
	Ready []opcode.Message
	// Hook is called for each message before the host handles it. The host ignores the message
	// if Hook returns true.
	Hook func(*Client, opcode.Message) bool
}

// Host is a host, with the methods of a [transport.Hub].
type Host struct {
	Options
	Hub     *transport.Hub
	Clients []*Client // all clients, also those that have left
}

// New returns a host.
func New(now time.Time, o Options) *Host {
	return &Host{Options: o, Hub: transport.NewHub(now, transport.HubOptions{Rand: testdata.LowestIDs})}
}

// Last returns the newest client, or nil if there is none.
func (h *Host) Last() *Client {
	if len(h.Clients) == 0 {
		return nil
	}
	return h.Clients[len(h.Clients)-1]
}

// Receive handles a datagram, deciphered.
func (h *Host) Receive(now time.Time, from netip.AddrPort, datagram []byte) {
	h.Hub.Receive(now, from, datagram)
	h.handle()
}

// Datagrams iterates over the datagrams that are due.
func (h *Host) Datagrams(now time.Time) iter.Seq2[netip.AddrPort, []byte] {
	return func(yield func(netip.AddrPort, []byte) bool) {
		for addr, d := range h.Hub.Datagrams(now) {
			if h.OpenBC {
				d = withoutAcks(d)
			}
			if !yield(addr, d) {
				break
			}
		}
		h.handle()
	}
}

// withoutAcks returns a datagram without the Acks of system messages.
func withoutAcks(datagram []byte) []byte {
	p := transport.Packet{PeerID: objectid.Host}
	for m, err := range transport.Messages(datagram) {
		if ack, ok := m.Ack(); err == nil && (!ok || ack.Flags&transport.AckSystem == 0) {
			p.Messages = append(p.Messages, *m)
		}
	}
	d, err := p.MarshalBinary()
	if err != nil {
		panic(err)
	}
	return d
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
	case h.Silent:
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
