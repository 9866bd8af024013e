package player

import (
	"errors"
	"fmt"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
)

// EndReason tells why a [Player] is [Closed].
type EndReason uint8

// The reasons.
const (
	Left         EndReason = iota // Leave was called
	Refused                       // while joining; Boot tells why
	Dismissed                     // after joining; Boot tells why
	HostLeft                      // the host has shut down
	NoAnswer                      // nobody has answered the Connect
	Silent                        // the host has not been heard of, or does not acknowledge
	Stalled                       // joining has taken longer than Options.JoinTimeout
	WrongVersion                  // of the game; Name is the host's, if it has told
	WrongFile                     // Name is the file, if the host has told
	Broken                        // Err tells what makes no sense
)

// End is why a [Player] is [Closed].
type End struct {
	Reason EndReason
	State  State // in which it came
	Boot   transport.BootReason
	Name   string
	Err    error
}

// Error returns the reason in words: "refused: wrong password".
func (e *End) Error() string {
	switch e.Reason {
	case Left:
		return "left"
	case Refused:
		return fmt.Sprintf("refused: %v", e.Boot)
	case Dismissed:
		return fmt.Sprintf("dismissed: %v", e.Boot)
	case HostLeft:
		return "the host has shut down"
	case NoAnswer:
		return "no answer"
	case Silent:
		return "the host is silent" + e.early()
	case Stalled:
		return "joining takes too long" + e.early() + e.cause()
	case WrongVersion:
		return "refused: the host has another version of the game" + e.named()
	case WrongFile:
		return "refused: the host has another file" + e.named()
	}
	return "cannot go on" + e.cause()
}

func (e *End) cause() string {
	if e.Err == nil {
		return ""
	}
	return ": " + e.Err.Error()
}

// early tells the state of a player who has not joined.
func (e *End) early() string {
	if e.State >= Joined {
		return ""
	}
	return ": " + e.State.String()
}

func (e *End) named() string {
	if e.Name == "" {
		return ""
	}
	return fmt.Sprintf(": %q", e.Name)
}

// Unwrap returns Err.
func (e *End) Unwrap() error { return e.Err }

// finish closes the player for a reason, the first one that there is.
func (p *Player) finish(end End) {
	if p.end != nil {
		return
	}
	end.State = p.state
	p.end, p.state = &end, Closed
	p.session.Close()
	p.queue.add(Ended{&end}, true)
}

// sessionEnded notes why the session is over.
func (p *Player) sessionEnded(e *transport.Event) {
	switch e.End {
	case transport.EndLeft:
		p.finish(End{Reason: HostLeft})
	case transport.EndBooted:
		boot, _ := e.Body.(transport.Boot)
		p.dismissed(boot.Reason)
	case transport.EndTimeout, transport.EndUnacknowledged:
		p.finish(End{Reason: Silent})
	case transport.EndHandshake:
		p.finish(End{Reason: NoAnswer})
	default:
		p.finish(End{Reason: Broken, Err: errors.New(e.End.String())})
	}
}

func (p *Player) dismissed(reason transport.BootReason) {
	if p.state < Joined {
		p.finish(End{Reason: Refused, Boot: reason})
		return
	}
	p.finish(End{Reason: Dismissed, Boot: reason})
}

// openBCRefusal takes the message with which OpenBC refuses, and the game does not.
func (p *Player) openBCRefusal(m *opcode.BootPlayer) {
	switch m.Reason {
	case opcode.RefusalVersion:
		p.finish(End{Reason: WrongVersion})
	case opcode.RefusalFull:
		p.dismissed(transport.BootTooManyPlayers)
	case opcode.RefusalBanned:
		p.dismissed(transport.BootBanned)
	case opcode.RefusalChecksum:
		p.finish(End{Reason: WrongFile})
	default:
		p.dismissed(transport.BootUnspecified)
	}
}
