package player

import (
	"errors"
	"fmt"
	"time"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// Options are who joins, and what it does there.
type Options struct {
	Name     string // at most [MaxName] characters, in Windows-1252; "Bot" if empty
	Password string // at most [MaxName] characters

	// Files answers the host's questions about the files of the game, at once: make a
	// manifest of an installation beforehand. A player without it has no files.
	Files checksum.Source

	Ship *stateupdate.Class // nil: the player has none, and watches
	Say  string             // is said once, from the first ship, or on joining without one
	Fire bool               // at the nearest ship of another player
	Seed uint64             // of the course

	// Choose is how long it takes to choose a ship, the first one and each after it. 1 s.
	Choose time.Duration
	// JoinTimeout is how long joining may take, whatever the host sends meanwhile. 120 s.
	JoinTimeout time.Duration

	LocalIP   [4]byte // as the client sees itself
	ConnID    uint32  // of this attempt; 0 makes one of the time and Seed
	Transport transport.Options
}

// MaxName is the length of the longest name and the longest password.
const MaxName = 32

// Defaults of Options.
const (
	DefaultName        = "Bot"
	DefaultChoose      = time.Second
	DefaultJoinTimeout = 2 * time.Minute
)

var errTooLong = errors.New("too long")

// Validate says what is wrong with the options: a name, a password or a line of chat that
// the game could not have.
func (o *Options) Validate() error {
	if _, err := stream.NewText(o.Name); err != nil {
		return fmt.Errorf("player: name: %w", err)
	}
	if len([]rune(o.Name)) > MaxName {
		return fmt.Errorf("player: name: %w", errTooLong)
	}
	if _, err := transport.NewUTF16Z(o.Name); err != nil {
		return fmt.Errorf("player: name: %w", err)
	}
	if _, err := o.password(); err != nil {
		return fmt.Errorf("player: password: %w", err)
	}
	if _, err := chat(0, o.Say); err != nil {
		return fmt.Errorf("player: chat: %w", err)
	}
	return nil
}

// password returns the password as text, if the game could have it.
func (o *Options) password() (transport.UTF16Z, error) {
	if len([]rune(o.Password)) > MaxName {
		return nil, errTooLong
	}
	return transport.NewUTF16Z(o.Password)
}

func (o Options) complete() Options {
	if o.Name == "" {
		o.Name = DefaultName
	}
	if o.Choose <= 0 {
		o.Choose = DefaultChoose
	}
	if o.JoinTimeout <= 0 {
		o.JoinTimeout = DefaultJoinTimeout
	}
	return o
}

// chat returns a line of chat, if the game could send it.
func chat(id int32, text string) (*opcode.ChatMessage, error) {
	t, err := stream.NewText(text)
	if err != nil {
		return nil, err
	}
	m := &opcode.ChatMessage{SenderID: id, Text: t}
	return m, opcode.Validate(m)
}
