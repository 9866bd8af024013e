package player

import (
	"cmp"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// Options are the options of a [Player].
type Options struct {
	Name  string             // at most MaxName characters in Windows-1252; DefaultName if empty
	Files *checksum.Manifest // has the hashes that the host requests; nil has no files
	Ship  *stateupdate.Class // class of the player's ships; nil for a player without ships
	Say   string             // a line of chat, sent once with the first ship, or on joining without ships
	Fire  bool               // fight the ships of other players
	Skill int                // of the pilot, 0 to pilot.MaxSkill
	Seed  uint64             // seed of the pilot

	// Choose is the time that the player takes to choose a ship. The default is 1 s.
	Choose time.Duration
	// Report is called with a line of text for each event in the match. A line has at most 512
	// characters. Texts of other players may contain control characters.
	Report func(line string)
}

// MaxName is the largest number of characters in a name. DefaultName is used if Name is empty.
const (
	MaxName     = 32
	DefaultName = "Bot"
)

// Join returns the options of the player's client, such as a udp.Conn. Use Decoder only for a client
// whose messages are received by one goroutine.
func (o Options) Join(d *opcode.Decoder) join.Options {
	o = o.complete()
	return join.Options{Name: o.Name, Manifest: o.Files, Decoder: d}
}

// Validate returns an error if the name or the line of chat is too long for the game, or has
// characters that the game cannot send.
func (o *Options) Validate() error {
	_, err := stream.NewText(o.Name)
	if err == nil {
		_, err = transport.NewUTF16Z(o.Name)
	}
	if n := utf8.RuneCountInString(o.Name); err == nil && n > MaxName {
		err = fmt.Errorf("%d characters, at most %d", n, MaxName)
	}
	if err != nil {
		return fmt.Errorf("player: name: %w", err)
	}
	if _, err := opcode.NewChatMessage(objectid.NoPeer, o.Say); err != nil {
		return fmt.Errorf("player: chat: %w", err)
	}
	return nil
}

func (o Options) complete() Options {
	o.Name = cmp.Or(o.Name, DefaultName)
	o.Choose = cmp.Or(max(o.Choose, 0), time.Second)
	return o
}
