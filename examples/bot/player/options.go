package player

import (
	"cmp"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// Options are the options of a [Player].
type Options struct {
	Name  string             // at most MaxName characters in Windows-1252; DefaultName if empty
	Files checksum.Source    // answers requests for hashes, without delay; nil has no files
	Ship  *stateupdate.Class // of the player's ships; nil: the player has none
	Say   string             // a line of chat, sent once: from the first ship, or on joining without one
	Fire  bool               // at the nearest ship of another player
	Seed  uint64             // of the course

	// Choose is the time that the player takes to choose a ship. The default is 1 s.
	Choose time.Duration
	// JoinTimeout is the longest time that joining may take. The default is 120 s.
	JoinTimeout time.Duration
	// Report is called with a line of text for each event in the match. A line has at most 512
	// characters, and may contain control characters that other players have written.
	Report func(line string)
}

// MaxName is the length of the longest name, and DefaultName the name of a player without one.
const (
	MaxName     = 32
	DefaultName = "Bot"
)

var errTooLong = errors.New("too long")

// Validate returns an error if the game cannot have the name or the line of chat.
func (o *Options) Validate() error {
	_, err := stream.NewText(o.Name)
	if err == nil {
		_, err = transport.NewUTF16Z(o.Name)
	}
	if err == nil && utf8.RuneCountInString(o.Name) > MaxName {
		err = errTooLong
	}
	if err != nil {
		return fmt.Errorf("player: name: %w", err)
	}
	if _, err := newChat(objectid.NoPeer, o.Say); err != nil {
		return fmt.Errorf("player: chat: %w", err)
	}
	return nil
}

func (o Options) complete() Options {
	o.Name = cmp.Or(o.Name, DefaultName)
	o.Choose = cmp.Or(max(o.Choose, 0), time.Second)
	o.JoinTimeout = cmp.Or(max(o.JoinTimeout, 0), 2*time.Minute)
	return o
}
