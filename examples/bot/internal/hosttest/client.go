package hosttest

import (
	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// Client is a client of a [Host].
type Client struct {
	Session  *transport.Session
	Name     string
	Got      []opcode.Message      // all messages except updates
	Updates  []*opcode.StateUpdate // the last 1000 updates
	Ended    bool
	End      transport.EndReason
	host     *Host
	exchange *checksum.ServerExchange
}

// Send sends messages.
func (c *Client) Send(messages ...opcode.Message) {
	for _, m := range messages {
		payload, err := opcode.Marshal(m)
		if err != nil {
			panic(err)
		}
		d := transport.Reliable
		if m.Opcode() == opcode.OpStateUpdate {
			d = transport.Unreliable
		}
		_ = c.Session.Send(payload, d) // a full queue drops the message
	}
}

func (c *Client) named(body transport.Body) {
	if n, ok := body.(*transport.NameChange); ok {
		c.Name = n.Name.String()
		_ = c.Session.SendSystem(n)
	}
}

func (c *Client) payload(payload []byte) {
	m, err := opcode.Decode(append([]byte(nil), payload...))
	if err != nil {
		panic(err) // the bot has sent a malformed payload
	}
	if u, ok := m.(*opcode.StateUpdate); ok {
		c.Updates = append(c.Updates[max(0, len(c.Updates)-999):], u)
	} else {
		c.Got = append(c.Got, m)
	}
	if c.host.Hook != nil && c.host.Hook(c, m) {
		return
	}
	switch m := m.(type) {
	case *opcode.ChecksumResponse, *opcode.FileTransferAck:
		c.check(m)
	case *opcode.NewPlayerInGame:
		c.ready()
	case *opcode.ChatMessage:
		c.Send(m)
	}
}

func (c *Client) check(m opcode.Message) {
	reply, _ := c.exchange.Receive(m)
	if reply == nil {
		return
	}
	c.Send(reply)
	if c.exchange.Accepted() {
		settings := c.host.Settings
		if settings == nil {
			settings = &opcode.Settings{GameTime: 20, CollisionDamage: true, Map: stream.Text(Map)}
		}
		c.Send(settings, &opcode.GameInit{})
		c.Send(c.host.AfterInit...)
	}
}

func (c *Client) ready() {
	ready := c.host.Ready
	if ready == nil {
		ready = []opcode.Message{Mission(), opcode.NewPlayerJoined(c.Session.PeerID())}
	}
	c.Send(ready...)
}

// Mission returns a MissionInit without limits.
func Mission() *opcode.MissionInit {
	return &opcode.MissionInit{PlayerLimit: 8, System: opcode.SystemMulti1, TimeLimit: opcode.NoLimit, FragLimit: opcode.NoLimit}
}
