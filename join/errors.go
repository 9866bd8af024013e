package join

import (
	"errors"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
)

// Reasons why a client is not in the game.
var (
	// ErrFull means that the host has no room for another player.
	ErrFull = errors.New("the server is full")
	// ErrPassword means that the host has refused the password.
	ErrPassword = errors.New("wrong password")
	// ErrBanned means that the host has banned the client.
	ErrBanned = errors.New("banned by the server")
	// ErrFiles means that the host has other files of the game.
	ErrFiles = errors.New("the server has other files")
	// ErrVersion means that the host has another version of the game.
	ErrVersion = errors.New("the server has another version of the game")
	// ErrRefused means that the host has ended the session for another reason: it has refused or kicked the
	// client, or has left.
	ErrRefused = errors.New("refused by the server")
	// ErrTimeout means that the host was silent, or did not let the client join in time.
	ErrTimeout = errors.New("the server does not answer")
	// ErrProtocol means that the host has sent something that no host of the game sends.
	ErrProtocol = errors.New("the server has broken the protocol")
)

// errClosed means that the program has closed the session.
var errClosed = errors.New("closed")

// EndError returns the reason for the end of a client's session, which is one of the errors above unless the
// program has closed the session. The body is the one of the event.
func EndError(end transport.EndReason, body transport.Body) error {
	switch end {
	case transport.EndClosed:
		return errClosed
	case transport.EndTimeout, transport.EndUnacknowledged, transport.EndHandshake:
		return ErrTimeout
	case transport.EndBadFragment, transport.EndFragmentAge:
		return ErrProtocol
	}
	if boot, ok := body.(*transport.Boot); ok {
		switch boot.Reason {
		case transport.BootTooManyPlayers:
			return ErrFull
		case transport.BootPassword:
			return ErrPassword
		case transport.BootBanned:
			return ErrBanned
		}
	}
	return ErrRefused
}

// RefusalError returns the reason for which OpenBC's server refuses a client.
func RefusalError(r opcode.RefusalReason) error {
	switch r {
	case opcode.RefusalFull:
		return ErrFull
	case opcode.RefusalBanned:
		return ErrBanned
	case opcode.RefusalVersion:
		return ErrVersion
	case opcode.RefusalChecksum:
		return ErrFiles
	}
	return ErrRefused
}
