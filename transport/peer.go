package transport

// Program is the program that a peer runs.
type Program uint8

const (
	ProgramUnknown Program = iota
	ProgramStock           // the stock game, or a program that speaks like it, such as one with a [Hub]
	ProgramOpenBC
)

// String returns "unknown", "stock" or "OpenBC".
func (p Program) String() string { return name(p, "unknown", "stock", "OpenBC") }

// Peer is what is known about the program of a peer. Facts settle it, each alone. OpenBC's server shows
// itself by one of these, which the stock game never sends:
//
//   - a form of its own, such as an Ack with the flag 0x80 or a length of one byte
//   - a sequence number up to 255 that it has used for another payload before
//   - a NameChange under the number 0, which is the number of the ConnectReply
//   - a NewPlayerInGame, and the client's own score before MissionInit, which packages join and match pass on
//
// The stock game shows itself by the Ack of the Connect before the ConnectReply in one datagram, and by
// a sequence number above 255. OpenBC's server sends a client that looks like the stock game nearly only
// stock forms. A fact about OpenBC therefore overrides an earlier one about the stock game, and not the reverse.
//
// The numbers in lines of chat are no fact, because a client may have forged them. The zero value is an unknown peer.
// Copies are independent.
//
// Evidence: documented (B): the source code of OpenBC, commit 52a8f62, and observed.
type Peer struct{ program Program }

// Program returns the program that the facts show.
func (p *Peer) Program() Program { return p.program }

// Settle records a fact.
func (p *Peer) Settle(program Program) { p.program = max(p.program, program) }

func (p *Peer) openBC() bool { return p.program == ProgramOpenBC }

func (p *Peer) stock() bool { return p.program == ProgramStock }

// hear settles the program of a host by one of its messages in a stock form. acknowledged reports whether
// an Ack of the Connect precedes the message in its datagram.
func (p *Peer) hear(m *Message, acknowledged bool) {
	switch {
	case m.Type == TypeNameChange && m.Reliable && m.Seq == 0:
		p.Settle(ProgramOpenBC)
	case m.Probe():
	case m.Type == TypeConnect && acknowledged, m.Type == TypeData && m.Reliable && m.Seq > 0xFF:
		p.Settle(ProgramStock)
	}
}

// acknowledgesConnect reports whether a message is the Ack of a Connect.
func (m *Message) acknowledgesConnect() bool {
	a, ok := m.Ack()
	return ok && a == Ack{Flags: AckSystem}
}
