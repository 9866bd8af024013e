package main

import (
	"cmp"
	"fmt"

	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/stream"
)

// Limits of texts, in bytes.
const (
	maxServerName = 63  // what the game's browser has room for
	maxMission    = 255 // as of a file, which the mission's script is
)

// checkTexts refuses what players and browsers cannot be told as it is.
func (o *options) checkTexts() error {
	room, why := maxServerName, ""
	if o.password != "" {
		room, why = room-1, ", since there is an asterisk before it"
	}
	return cmp.Or(checkText("-name", o.name, room, why), checkText("-map", o.mission, maxMission, ""))
}

func checkText(flag, s string, room int, why string) error {
	t, err := stream.NewText(s)
	wire := gamespy.Text(t)
	switch {
	case err != nil:
		return fmt.Errorf("%w: %s %.80q has characters that the game has not: Windows-1252 is all there is", errUsage, flag, s)
	case len(wire) == 0:
		return fmt.Errorf("%w: %s is empty", errUsage, flag)
	case len(wire) > room:
		return fmt.Errorf("%w: %s has %d bytes, more than %d%s", errUsage, flag, len(wire), room, why)
	case wire != wire.Clean():
		return fmt.Errorf("%w: %s %.80q has a backslash or a control character, which browsers cannot be told", errUsage, flag, s)
	}
	return nil
}
