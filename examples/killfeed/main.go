// Killfeed prints the kills, chat and departures in a recorded match.
//
//	go run -C examples ./killfeed [FILE]
//
// The programs server and proxy write recordings in FILE with -record FILE. A relative FILE starts
// at the directory examples. Without FILE, killfeed reads the bundled testdata/battle.jsonl.
package main

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"time"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

func main() {
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "Usage: killfeed [FILE]\n\nKillfeed prints the kills, chat and departures in a recorded match: in FILE, JSON lines or\nhex text, or else in testdata/battle.jsonl.")
	}
	flag.Parse()
	log.SetFlags(0)
	log.SetPrefix("killfeed: ")
	if flag.NArg() > 1 {
		log.Printf("%q: unexpected argument; give one FILE", flag.Arg(1))
		os.Exit(2)
	}
	name := cmp.Or(flag.Arg(0), "../testdata/battle.jsonl")
	file, err := os.Open(name)
	if err != nil {
		log.Fatal(terminal.Line(err.Error()))
	}
	log.SetPrefix("killfeed: " + terminal.Line(name) + ": ")
	if !report(file, os.Stdout) {
		os.Exit(1)
	}
}

// feed is the state of the match, as the links of all clients report it.
type feed struct {
	out   io.Writer
	links map[int64]*link
	chat  opcode.HostChat
	names map[objectid.PeerID]string
	lines map[string]time.Duration // when each line was printed
}

// link is the connection of one client with the server.
type link struct {
	observer transport.Observer
	tracker  stateupdate.Tracker
	weapons  [objectid.Slots]string // the weapon that each player has fired last
}

// report reports whether the recording could be read without an error.
func report(r io.Reader, out io.Writer) (ok bool) {
	ok = true
	f := &feed{out: out, links: map[int64]*link{}, names: map[objectid.PeerID]string{}, lines: map[string]time.Duration{}}
	for d, err := range recording.Read(r) {
		if err != nil {
			log.Print(terminal.Line(err.Error()))
			ok = false
		} else if !transport.IsGameSpy(d.Data) {
			cipher.Decrypt(d.Data)
			f.datagram(d)
		}
	}
	return ok
}

func (f *feed) datagram(d recording.Datagram) {
	l := f.links[d.Client]
	if l == nil {
		l = &link{}
		f.links[d.Client] = l
	}
	from := objectid.Host
	if d.Direction == recording.ToServer && len(d.Data) > 0 {
		from = objectid.PeerID(int8(d.Data[0]))
	}
	for m, err := range l.observer.Receive(time.Unix(0, 0).Add(d.Time()), d.Direction == recording.ToClient, d.Data) {
		if m.NewConnection {
			l.tracker.Reset()
		}
		switch body := m.Decoded.(type) {
		case *transport.NameChange:
			about := body.PeerID
			if from != objectid.Host { // about itself, also if OpenBC's client writes its slot
				about = from
			}
			f.names[about] = body.Name.String()
		case *transport.Disconnect:
			f.print(d, "%s leaves", f.name(body.PeerID))
		}
		if err == nil && m.Payload != nil {
			f.payload(d, l, from, m.Payload)
		}
	}
}

func (f *feed) payload(d recording.Datagram, l *link, from objectid.PeerID, payload []byte) {
	msg, err := opcode.Decode(bytes.Clone(payload))
	if err != nil {
		return
	}
	change, _ := l.tracker.Apply(msg) // an error concerns a part of the message only
	switch msg := msg.(type) {
	case opcode.Shot:
		weapon, _, _ := msg.Fired()
		_, part, known := l.tracker.Part(weapon)
		if slot, isPlayer := weapon.Slot(); isPlayer && known {
			l.weapons[slot] = part.String()
		}
	case *opcode.ChatMessage:
		f.chat.Observe(msg, from)
		f.print(d, "%s: %q", f.name(opcode.Speaker(msg, from, f.chat.Slots())), msg.Text)
	case *opcode.PythonEvent:
		_, killer, player, ok := msg.Killed()
		if slot, isPlayer := killer.Slot(); ok && change.Died && isPlayer {
			f.print(d, "%s kills %q, last shot %s", f.name(player), change.Ship.PlayerName, cmp.Or(l.weapons[slot], "none"))
		} else if change.Died {
			f.print(d, "%q explodes", change.Ship.PlayerName)
		}
	}
}

// print prints a line once, although every client receives the event.
func (f *feed) print(d recording.Datagram, format string, args ...any) {
	line := terminal.Line(fmt.Sprintf(format, args...))
	if last, printed := f.lines[line]; !printed || d.Time()-last > 2*time.Second {
		fmt.Fprintf(f.out, "%7.1f s  %s\n", d.Seconds, line)
		f.lines[line] = d.Time()
	}
}

func (f *feed) name(id objectid.PeerID) string {
	return fmt.Sprintf("%q", cmp.Or(f.names[id], fmt.Sprint("peer ", id)))
}
