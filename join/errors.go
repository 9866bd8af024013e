package join

import (
	"errors"
	"fmt"

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
	// ErrRefused means that the host has refused or kicked the client for another reason.
	ErrRefused = errors.New("refused by the server")
	// ErrLeft means that the host has disconnected, for example because it has shut down.
	ErrLeft = errors.New("the server has disconnected")
	// ErrTimeout means that the host was silent, or did not let the client join in time. Its method Timeout returns
	// true, as for [net.Error].
	ErrTimeout error = timeoutError{}
	// ErrProtocol means that the host has sent something that no host of the game sends.
	ErrProtocol = errors.New("the server has broken the protocol")
)

type timeoutError struct{}

func (timeoutError) Error() string { return "the server does not answer" }
func (timeoutError) Timeout() bool { return true }

// errClosed means that the program has closed the session.
var errClosed = errors.New("closed")

// EndError returns the reason for which an event ends the session of a client, or nil if it does not: one of the
// errors above with details, or another error if the program has closed the session. Besides EventEnded, OpenBC's
// refusal ends a session: an [opcode.BootPlayer] in an EventPayload.
func EndError(e transport.Event) error {
	switch e.Kind {
	case transport.EventPayload:
		m, _ := opcode.Decode(e.Payload)
		if boot, ok := m.(*opcode.BootPlayer); ok {
			return refusalError(boot.Reason)
		}
		return nil
	case transport.EventEnded:
	default:
		return nil
	}
	switch e.End {
	case transport.EndClosed:
		return errClosed
	case transport.EndTimeout, transport.EndUnacknowledged, transport.EndHandshake:
		return ErrTimeout
	case transport.EndBadFragment, transport.EndFragmentAge:
		return fmt.Errorf("%w: %v", ErrProtocol, e.End)
	}
	boot, ok := e.Body.(*transport.Boot)
	if !ok {
		return ErrLeft
	}
	switch boot.Reason {
	case transport.BootTooManyPlayers:
		return ErrFull
	case transport.BootPassword:
		return ErrPassword
	case transport.BootBanned:
		return ErrBanned
	}
	return fmt.Errorf("%w: %v", ErrRefused, boot.Reason)
}

// refusalError returns the reason for which OpenBC's server refuses a client.
func refusalError(r opcode.RefusalReason) error {
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
	return fmt.Errorf("%w: %v", ErrRefused, r)
}
