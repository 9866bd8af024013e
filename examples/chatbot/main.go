// Chatbot is a player without a ship. It greets players by name when they enter the game, and answers chat.
//
//	go run ./examples/chatbot -addr 127.0.0.1:22101 -name Computer
//
// Say "!help" in the game to see what it answers.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/udp"
)

// pause is the time for which the bot does not answer the same line of the same player again. Without it, two bots that
// answer each other would never stop.
const pause = 10 * time.Second

func main() {
	addr := flag.String("addr", "127.0.0.1:22101", "`HOST:PORT` of the server")
	name := flag.String("name", "Computer", "name of the player")
	flag.Parse()
	if flag.NArg() > 0 {
		log.Fatalf("%q: unexpected argument; -h lists the flags", flag.Arg(0))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // a second interrupt ends the program at once
	player, err := udp.Join(ctx, *addr, join.Options{Name: *name})
	if err != nil {
		log.Fatal(err)
	}
	defer player.Close() // tells the server, which tells the other players
	log.Printf("in the game as %q", player.State().Self.Name)
	log.Print(newBot(player).run(ctx))
}

// bot talks as a player.
type bot struct {
	player    *udp.Conn
	newcomers map[objectid.PeerID]bool // in the game, and not greeted yet
	asked     map[line]time.Time       // when lines were last said
}

// line is what a player says.
type line struct {
	speaker objectid.PeerID
	text    string
}

func newBot(p *udp.Conn) *bot {
	return &bot{player: p, newcomers: map[objectid.PeerID]bool{}, asked: map[line]time.Time{}}
}

// run talks until the context or the session ends, and returns the reason.
func (b *bot) run(ctx context.Context) error {
	for {
		e, err := b.player.Receive(ctx)
		if err != nil {
			return cmp.Or(context.Cause(ctx), err)
		}
		if e.Kind == transport.EventPayload {
			// The bot ignores malformed messages: a player of another program may have caused them.
			if m, err := opcode.Decode(e.Payload); err == nil {
				b.receive(m)
			}
		}
		b.greet()
	}
}

// receive acts on a message of the server. Most messages, such as shots, do not concern the bot.
func (b *bot) receive(m opcode.Message) {
	switch m := m.(type) {
	case *opcode.DeletePlayerUI: // despite its name, it announces players who enter and who leave
		if id, ok := m.Joined(); ok && id != b.self() {
			b.newcomers[id] = true
		}
		if id, ok := m.Left(); ok {
			delete(b.newcomers, id)
		}
	case *opcode.ChatMessage:
		b.answer(line{b.player.Speaker(m), strings.ToLower(strings.TrimSpace(m.Text.String()))})
	}
}

// greet welcomes the newcomers whose names are known. The name of a player is a system message, which can arrive later
// than the message that the player has entered the game.
func (b *bot) greet() {
	if len(b.newcomers) == 0 {
		return
	}
	for _, p := range b.player.State().Other {
		if b.newcomers[p.PeerID] && p.Name != "" {
			delete(b.newcomers, p.PeerID)
			b.say(fmt.Sprintf("Welcome, %s! Say !help for help.", p.Name))
		}
	}
}

// answer replies to a line of chat if the bot knows a reply.
func (b *bot) answer(l line) {
	if l.speaker == b.self() || l.speaker == objectid.NoPeer {
		return // the server sends each line to all players, also to the one who has said it
	}
	var answer string
	switch state := b.player.State(); l.text {
	case "hello", "hi":
		answer = fmt.Sprintf("Good to see you, %s.", state.NameOf(l.speaker))
	case "!help":
		answer = "I know !help, !players and !ping."
	case "!players":
		names := []string{state.Self.Name}
		for _, p := range state.Other {
			names = append(names, p.Name)
		}
		answer = fmt.Sprintf("%d players: %s", len(names), strings.Join(names, ", "))
	case "!ping":
		answer = fmt.Sprintf("My round trip to the server is %v.", b.player.Quality().RoundTrip.Round(time.Millisecond))
	default:
		return
	}
	last, now := b.asked[l], time.Now()
	b.asked[l] = now
	if now.Sub(last) >= pause {
		b.say(answer)
	}
}

// say sends a line of chat. If the session has ended, the next Receive returns the reason.
func (b *bot) say(s string) {
	text := stream.Lossy(s) // the game has the characters of Windows-1252
	text = text[:min(len(text), opcode.MaxChat)]
	if err := b.player.Send(&opcode.ChatMessage{SenderID: b.self(), Text: text}); err != nil {
		log.Print(err)
	}
}

func (b *bot) self() objectid.PeerID { return b.player.PeerID() }
