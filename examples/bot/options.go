package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/examples/bot/pilot"
	"github.com/bcwire/bcwire/examples/bot/player"
	"github.com/bcwire/bcwire/examples/internal/gamefiles"
	"github.com/bcwire/bcwire/examples/internal/hostport"
	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/transport/udp"
)

// options are the flags.
type options struct {
	player   player.Options
	udp      udp.Options
	addr     string
	files    string
	duration time.Duration
	level    slog.Level
}

const usage = "Usage: bot [flags]\n\nBot joins a match of Bridge Commander as a player without a screen.\n\n"

// parseOptions reads the flags. It prints the error that it returns.
func parseOptions(args []string, stderr io.Writer) (*options, error) {
	o := &options{}
	fs := flag.NewFlagSet("bot", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.StringVar(&o.addr, "addr", "127.0.0.1", fmt.Sprintf("connect to the host at `HOST[:PORT]`; without a port %d", gamespy.DefaultPort))
	fs.StringVar(&o.player.Name, "name", player.DefaultName, fmt.Sprintf("set the `NAME` of the player, at most %d characters", player.MaxName))
	fs.StringVar(&o.udp.Password, "password", "", "connect with the `PASSWORD` of the match")
	ship := fs.String("ship", "akira", "choose ships of this `CLASS`: "+strings.Join(classes(), ", ")+"; or none, to stay without a ship")
	fs.StringVar(&o.player.Say, "say", "", "send the line of chat `TEXT` once")
	fs.BoolVar(&o.player.Fire, "fire", false, "fight the ships of other players")
	fs.IntVar(&o.player.Skill, "skill", 2, fmt.Sprintf("skill of the pilot, 0 to %d", pilot.MaxSkill))
	fs.Uint64Var(&o.player.Seed, "seed", 1, "seed of the pilot; the same seed and the same messages give the same flight")
	fs.StringVar(&o.files, "files", "", "send the hashes of the game in `PATH`, the directory that has \"scripts\", or a manifest of the program manifest")
	fs.DurationVar(&o.duration, "duration", 0, "leave after this time; without it, do not leave")
	fs.BoolFunc("v", "log counters", func(string) error { o.level = slog.LevelDebug; return nil })
	fs.Usage = func() {
		fmt.Fprint(stderr, usage)
		fs.PrintDefaults()
	}
	if err := terminal.ParseFlags(fs, args); err != nil {
		return nil, err
	}
	err := cmp.Or(terminal.NotEmpty(fs, "addr", "files"), o.check(*ship, fs.Args()))
	if err != nil {
		terminal.Complain(stderr, "bot", err)
	}
	return o, err
}

// classes returns the keys of the classes that the menus of the game offer.
func classes() (names []string) {
	for _, c := range stateupdate.Stock() {
		if c.Species <= opcode.SpeciesShuttle {
			names = append(names, c.Key)
		}
	}
	return names
}

func (o *options) check(ship string, rest []string) error {
	o.addr = hostport.WithPort(o.addr, gamespy.DefaultPort)
	_, port, _ := net.SplitHostPort(o.addr)
	n, err := strconv.ParseUint(port, 10, 16)
	if slices.Contains(classes(), ship) {
		o.player.Ship = stateupdate.Stock().Named(ship)
	}
	switch {
	case err != nil || n == 0:
		return fmt.Errorf("-addr %s: the port must be a number from 1 to 65535", o.addr)
	case strings.TrimSpace(o.player.Name) == "":
		return errors.New("-name: empty; give a name")
	case strings.ContainsFunc(o.player.Name+o.player.Say, unicode.IsControl):
		return errors.New("-name and -say: no control characters, which the game cannot show")
	case o.player.Ship == nil && ship != "none":
		return fmt.Errorf("-ship %q: no such class; -h lists the classes", ship)
	case o.player.Skill < 0 || o.player.Skill > pilot.MaxSkill:
		return fmt.Errorf("-skill %d is not between 0 and %d", o.player.Skill, pilot.MaxSkill)
	case o.duration < 0:
		return fmt.Errorf("-duration %v is negative", o.duration)
	case len(rest) > 0:
		return fmt.Errorf("%q: unexpected argument; -h lists the flags", rest[0])
	}
	return o.player.Validate()
}

// manifest returns the hashes of the bot's files. It may return those of a directory with an error about
// files that could not be read.
func (o *options) manifest() (*checksum.Manifest, error) {
	if o.files == "" {
		return checksum.Vanilla(), nil
	}
	return gamefiles.Open(o.files)
}
