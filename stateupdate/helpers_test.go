package stateupdate_test

import (
	"encoding/hex"
	"errors"
	"io"
	"strings"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stream"
)

// slotID returns the ID of a player's first ship.
func slotID(slot int) objectid.ID {
	id, ok := objectid.Base(objectid.Slot(slot))
	if !ok {
		panic("no such slot")
	}
	return id
}

// unhex reads hex, with spaces where they help the reader.
func unhex(text string) []byte {
	b, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
	if err != nil {
		panic(err)
	}
	return b
}

// isEnd says whether an error is one of a payload that is cut.
func isEnd(err error) bool {
	return errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, stream.ErrBadBitGroup)
}
