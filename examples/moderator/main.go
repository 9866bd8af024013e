// Moderator relays datagrams between players and a server, and moderates the chat: it replaces
// words, and drops lines in capitals. Messages have sequence numbers, so a relay cannot remove one.
// Moderator replaces a dropped line by a RequestObject with the ID 0, which hosts ignore. It has the
// limits of players of the program proxy.
//
//	go run ./examples/moderator -server 127.0.0.1:22101 -listen 127.0.0.1:22102
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/examples/internal/relay"
	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

func main() {
	terminal.Main(func(ctx context.Context) int { return run(ctx, os.Args[1:], os.Stderr) })
}

// run is the program. It returns the exit status.
func run(ctx context.Context, args []string, stderr io.Writer) int {
	o := relay.Options{Name: "moderator", Clients: 64, Idle: time.Minute, Log: stderr}
	fs := flag.NewFlagSet("moderator", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.StringVar(&o.Server, "server", "127.0.0.1", fmt.Sprintf("relay to the server at `HOST[:PORT]`; without a port %d", gamespy.DefaultPort))
	fs.StringVar(&o.Listen, "listen", "127.0.0.1:22102", "listen for players at `[IP]:PORT`")
	fs.Usage = func() {
		fmt.Fprint(stderr, "Usage: moderator [flags]\n\nModerator relays datagrams between players and a server, and moderates the chat.\n\n")
		fs.PrintDefaults()
	}
	err := terminal.ParseFlags(fs, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	}
	if err := cmp.Or(terminal.NoArguments(fs), terminal.NotEmpty(fs, "listen", "server")); err != nil {
		terminal.Complain(stderr, "moderator", err)
		return 2
	}
	r, err := relay.Open(o)
	if err == nil {
		fmt.Fprintf(stderr, "moderator: %v -> %v\n", r.Addr(), r.Server())
		r.Edit = moderate
		err = r.Run(ctx)
	}
	if err != nil {
		terminal.Complain(stderr, "moderator", err)
		return 1
	}
	return 0
}

// moderate returns an enciphered datagram with moderated chat, or a malformed one unchanged.
func moderate(datagram []byte) []byte {
	if transport.IsGameSpy(datagram) {
		return datagram
	}
	cipher.Decrypt(datagram)
	defer cipher.Encrypt(datagram)
	var p transport.Packet
	if err := p.UnmarshalBinary(datagram); err != nil {
		return datagram
	}
	for i := range p.Messages {
		if m := &p.Messages[i]; m.Type == transport.TypeData && !m.Fragment {
			m.Body = censor(m.Body)
		}
	}
	if moderated, err := p.MarshalBinary(); err == nil {
		cipher.Encrypt(moderated)
		return moderated
	}
	return datagram
}

var swearing = regexp.MustCompile(`(?i)\b(petaq|veruul|frak)\b`)

// censor returns the payload to send in place of a payload. The game reads a line of chat with bytes
// after it, so censor does, too.
func censor(payload []byte) []byte {
	msg, err := opcode.Decode(payload)
	chat, ok := msg.(*opcode.ChatMessage)
	if !ok || err != nil && !errors.Is(err, stream.ErrTrailing) {
		return payload
	}
	text := chat.Text.String()
	if len(text) > 5 && text == strings.ToUpper(text) && text != strings.ToLower(text) {
		msg = &opcode.RequestObject{}
	} else if swearing.MatchString(text) {
		chat.Text = stream.Lossy(swearing.ReplaceAllString(text, "***"))
	} else {
		return payload
	}
	if censored, err := opcode.Marshal(msg); err == nil {
		return censored
	}
	return payload
}
