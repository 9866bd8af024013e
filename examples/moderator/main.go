// Moderator relays datagrams between players and a server, and moderates the chat: it replaces
// words, and drops lines in capitals. Messages have sequence numbers, so a relay cannot remove one.
// Moderator replaces a dropped line by a RequestObject with the ID 0, which hosts ignore. It has the
// limits of players of the program proxy.
//
// The server reads the messages before a malformed one. Moderator therefore drops a datagram with a
// malformed message, or passes it unread with -malformed. It relays the fragments of a message when
// it has all of them.
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
	"time"

	"github.com/bcwire/bcwire/examples/internal/relay"
	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/gamespy"
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
	pass := fs.Bool("malformed", false, "pass malformed datagrams, with the chat in them; the default drops them")
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
		r.NewFilter = func() func([]byte) [][]byte { return (&filter{pass: *pass}).relay }
		err = r.Run(ctx)
	}
	if err != nil {
		terminal.Complain(stderr, "moderator", err)
		return 1
	}
	return 0
}
