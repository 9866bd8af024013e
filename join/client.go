package join

import (
	"errors"
	"fmt"
	"time"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/internal/clock"
	"github.com/bcwire/bcwire/internal/openbc"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// Options are the options of a [Client]. The zero value is a client without a name, a password and
// files.
type Options struct {
	// Name is the player's name. If it is empty, the host chooses one.
	Name string
	// Password is the password of the server for udp.Join. Other programs put it into the
	// [transport.ConnectRequest] of the session.
	Password string
	// LocalIP is the client's own IPv4 address, which it sends with its name. udp.Join sets it.
	LocalIP [4]byte
	// Manifest has the hashes of files that the host requests, as from checksum.Scan. If it is nil, the
	// client reports that it has no files, which hosts with the policy AcceptAll accept.
	Manifest *checksum.Manifest
	// Decoder decodes the messages of the host, for example into the types of a mod; see
	// [opcode.Decoder.Register]. Messages are then valid until the next one with the same opcode, so only
	// one goroutine may receive from a udp.Conn. If it is nil, each message is new.
	Decoder *opcode.Decoder
}

// errNoSettings is a fault of a host.
var errNoSettings = errors.New("GameInit before Settings")

// Limits of a client.
const (
	maxFaults   = 64              // messages of a join that are malformed or not expected
	maxMap      = 255             // bytes of the name of a mission
	maxName     = 200             // UTF-16 units of a name, so that it fits into a NameChange
	missionWait = 5 * time.Second // for MissionInit, which some mods do not send, or for NewPlayerJoined
	joinTimeout = 2 * time.Minute
	maxGameTime = 1 << 20 // seconds; a float32 beyond it has no tenths
)

// Client joins a host over a session of [transport.NewClient]:
//
//	client, err := join.NewClient(now, session, join.Options{Name: "Ann"})
//	...
//	for e := range session.Events() {
//		m, err := client.Handle(now, e)
//	}
//	client.Tick(now) // at client.NextDeadline()
//
// When a Client has ended, it has closed its session.
type Client struct {
	clock   clock.Clock
	options Options
	session *transport.Session
	stage   Stage
	err     error
	due     time.Duration // end of the stage, or never
	began   time.Duration // when the clock of the game began, as far as Settings tell

	files    checksum.Client
	faults   int
	fault    error // the first one
	slot     objectid.Slot
	settings *opcode.Settings
	mission  *opcode.MissionInit
	limits   bool // a MissionInit of any layout has arrived
	welcome  bool // NewPlayerJoined has arrived
	peers    peers
	signs    openbc.Signs
	encoder  opcode.Encoder
	scratch  []byte // of encoder
}

// NewClient returns a Client for the session of a client, which may have been accepted already. It
// returns an error wrapping [stream.ErrTooLong] for a name of more than 200 UTF-16 units, or
// [stream.ErrText] for a NUL or invalid UTF-8.
func NewClient(now time.Time, s *transport.Session, o Options) (*Client, error) {
	if _, err := NewName(o.Name); err != nil {
		return nil, fmt.Errorf("join: name: %w", err)
	}
	c := &Client{
		clock: clock.Clock{Wall: now}, options: o, session: s, slot: objectid.NoSlot,
		due: joinTimeout, began: never,
		files: checksum.Client{Manifest: o.Manifest},
		peers: newPeers(o.Name),
	}
	if s.PeerID() != objectid.NoPeer {
		c.onAccepted()
	}
	return c, nil
}

// NewName returns the name of a player as it stands in a NameChange. It returns an error wrapping
// [stream.ErrTooLong] for a name of more than 200 UTF-16 units, or [stream.ErrText] for a NUL or invalid
// UTF-8.
func NewName(s string) (transport.UTF16Z, error) {
	name, err := transport.NewUTF16Z(s)
	if n := len(name)/2 - 1; n > maxName {
		err = fmt.Errorf("%w: %d UTF-16 units, at most %d", stream.ErrTooLong, n, maxName)
	}
	return name, err
}

// Handle handles an event of the session. For an EventPayload it returns the message, which may alias
// the payload, or an error with an *opcode.Unknown. For other events it returns nil. The Client has
// already replied to the messages of the join.
func (c *Client) Handle(now time.Time, e transport.Event) (opcode.Message, error) {
	c.clock.Set(now)
	switch e.Kind {
	case transport.EventPayload:
		return c.onPayload(e.Payload)
	case transport.EventConnected:
		c.onAccepted()
	case transport.EventSystem:
		c.peers.onSystem(e)
	case transport.EventEnded:
		c.onEnded(e)
	}
	return nil, nil
}

// Tick ends the client at its timeout. Call it at [Client.NextDeadline].
func (c *Client) Tick(now time.Time) {
	c.clock.Set(now)
	switch {
	case c.clock.Now < c.due:
	case c.stage == StageEntering && (c.welcome || c.limits):
		c.inGame()
	default:
		c.end(ErrTimeout, c.likely())
	}
}

// NextDeadline returns the time at which to call Tick, or the zero Time if there is none.
func (c *Client) NextDeadline() time.Time {
	return c.clock.At(c.due)
}

// Send sends a message with the delivery of its opcode. It returns the errors of
// [opcode.Encoder.Append] and of [transport.Session.Send].
func (c *Client) Send(m opcode.Message) error {
	payload, err := c.encoder.Append(c.scratch[:0], m)
	if err != nil {
		return err
	}
	c.scratch = payload
	return c.session.Send(payload, DeliveryOf(m))
}

// DeliveryOf returns the delivery of a message by its opcode.
func DeliveryOf(m opcode.Message) transport.Delivery {
	if m.Opcode().Info().Unreliable {
		return transport.Unreliable
	}
	return transport.Reliable
}

// Speaker returns the player whose line of chat the host has sent, or NoPeer; see [opcode.Speaker].
func (c *Client) Speaker(m opcode.Message) objectid.PeerID {
	return opcode.Speaker(m, objectid.Host, c.openBC())
}

// openBC reports whether the host is OpenBC.
func (c *Client) openBC() bool { return c.session.Peer().Program() == transport.ProgramOpenBC }

// State returns what the client knows.
func (c *Client) State() State {
	self, others := c.peers.players()
	self.Slot = c.slot
	return State{
		Stage: c.stage, Err: c.err, Self: self, Other: others, Settings: c.settings, Mission: c.mission,
		Began: c.clock.At(c.began),
	}
}

// onAccepted sends the name to a host that has accepted the client.
func (c *Client) onAccepted() {
	if c.stage != StageConnecting {
		return
	}
	c.stage = StageChecking
	c.peers.setSelf(c.session.PeerID())
	c.sendName()
}

func (c *Client) sendName() {
	name, _ := NewName(c.peers.own) // it was checked
	if len(name) <= 2 {             // a NUL
		return
	}
	_ = c.session.SendSystem(&transport.NameChange{PeerID: c.session.PeerID(), IP: c.options.LocalIP, Name: name}) // unless it has ended
}

// onPayload handles a payload. Messages with an error have no effect, except a MissionInit of a mod.
func (c *Client) onPayload(payload []byte) (m opcode.Message, err error) {
	decode := opcode.Decode
	if c.options.Decoder != nil {
		decode = c.options.Decoder.Decode
	}
	m, err = decode(payload)
	if m == nil { // an empty payload
		m = &opcode.Unknown{}
	}
	if err == nil || m.Opcode() == opcode.OpMissionInit {
		c.signs.Follow(c.session.Peer(), m, c.session.PeerID())
	}
	switch {
	case c.stage == StageEnded:
	case c.stage == StageConnecting: // a host that has not accepted the client can only refuse it
		if boot, ok := m.(*opcode.BootPlayer); ok {
			c.receive(boot)
		}
	case m.Opcode() == opcode.OpMissionInit:
		c.limits = true
		if stock, ok := m.(*opcode.MissionInit); ok {
			kept := *stock
			c.mission = &kept
		}
		c.enter()
	case err != nil:
		c.faulty(err)
	default:
		c.receive(m)
	}
	return m, err
}

// receive acts on a message.
func (c *Client) receive(m opcode.Message) {
	switch m := m.(type) {
	case *opcode.BootPlayer: // of OpenBC
		c.end(refusalError(m.Reason), "")
	case *opcode.ChecksumRequest, *opcode.FileTransfer, *opcode.ChecksumComplete, *opcode.SystemChecksumFailed, *opcode.VersionMismatch:
		c.compare(m)
	case *opcode.Settings:
		c.start(m)
	case *opcode.GameInit:
		switch c.stage {
		case StageChecking:
			c.faulty(errNoSettings)
		case StageStarting:
			c.stage = StageEntering
			_ = c.Send(&opcode.NewPlayerInGame{}) // a full queue ends in a timeout
			c.enter()
		}
	case *opcode.DeletePlayerUI:
		if id, ok := m.Joined(); ok && id == c.session.PeerID() {
			c.welcome = true
			c.enter()
		}
		c.peers.onMessage(m, c.openBC())
	default:
		c.peers.onMessage(m, c.openBC())
	}
}

// compare continues the comparison of files.
func (c *Client) compare(m opcode.Message) {
	if c.stage == StageInGame {
		return
	}
	reply, err := c.files.Receive(m)
	if err != nil {
		c.faulty(err)
	}
	if f, rejected := c.files.Rejection(); rejected {
		reason := ErrFiles
		if f.Kind == checksum.KindWrongVersion {
			reason = ErrVersion
		}
		c.end(reason, fmt.Sprintf("%.80q", f.Path))
		return
	}
	if reply != nil {
		if err := c.Send(reply); err != nil { // the host acknowledges nothing, but continues
			c.end(ErrProtocol, err.Error())
		}
	}
}

// faulty counts a message of the host that no host of the game sends. The first one may be the reason
// for which the client cannot join.
func (c *Client) faulty(err error) {
	if c.stage >= StageInGame {
		return
	}
	if c.fault == nil {
		c.fault = err
	}
	if c.faults++; c.faults >= maxFaults {
		c.end(ErrProtocol, err.Error())
	}
}

// likely returns the likely reason for a timeout.
func (c *Client) likely() string {
	switch {
	case c.stage >= StageInGame:
	case c.fault != nil:
		return c.fault.Error()
	case c.stage == StageStarting:
		return "Settings, but no GameInit"
	case c.stage == StageEntering:
		return "no reply to NewPlayerInGame"
	}
	return ""
}

// start takes the slot and the new name. Other Settings have no effect.
func (c *Client) start(m *opcode.Settings) {
	switch {
	case c.stage != StageChecking:
		return
	case !m.PlayerSlot.Valid():
		c.end(ErrProtocol, fmt.Sprintf("slot %d, not 0 to %d", uint8(m.PlayerSlot), objectid.Slots-1))
		return
	case len(m.Map) > maxMap:
		c.end(ErrProtocol, fmt.Sprintf("mission of %d bytes, at most %d", len(m.Map), maxMap))
		return
	}
	c.stage, c.slot, c.began = StageStarting, m.PlayerSlot, c.clock.Now
	if t := m.GameTime; t >= 0 && t < maxGameTime {
		c.began -= time.Duration(float64(t) * float64(time.Second))
	}
	kept := *m
	kept.Map = append(stream.Text(nil), m.Map...)
	kept.NewName, kept.Rest = nil, nil
	name := m.NewName.String()
	_, err := NewName(name)
	if kept.Renamed = name != "" && err == nil; kept.Renamed {
		kept.NewName = append(stream.UTF16(nil), m.NewName...)
		c.peers.rename(name)
		c.sendName()
	}
	c.settings = &kept
}

// enter brings the client into the game when the host has sent all that belongs to it, or waits a while for the rest.
func (c *Client) enter() {
	switch {
	case c.stage != StageEntering:
	case c.limits && c.welcome:
		c.inGame()
	case c.limits || c.welcome:
		c.due = min(c.due, c.clock.Now+missionWait)
	}
}

func (c *Client) inGame() { c.stage, c.due = StageInGame, never }

// end ends the client and closes its session.
func (c *Client) end(reason error, detail string) {
	if c.stage == StageEnded {
		return
	}
	c.err = fmt.Errorf("join: %v: %w", c.stage, reason)
	if detail != "" {
		c.err = fmt.Errorf("%w: %s", c.err, detail)
	}
	c.stage, c.due = StageEnded, never
	c.session.Close()
}

// onEnded handles the end of the session.
func (c *Client) onEnded(e transport.Event) {
	reason, detail := EndError(e), ""
	if reason == ErrTimeout {
		detail = c.likely()
	}
	c.end(reason, detail)
}
