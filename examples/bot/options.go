package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/examples/bot/player"
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
	dir      string
	manifest string
	duration time.Duration
	verbose  bool
}

const usage = `Usage: bot [flags]

Bot joins a match of Bridge Commander as a player without a screen.

With "go run -C examples", relative names are relative to the directory examples.

`

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
	fs.BoolVar(&o.player.Fire, "fire", false, "fire at the nearest ship")
	fs.Uint64Var(&o.player.Seed, "seed", 1, "seed of the random flight; the same seed gives the same flight")
	fs.StringVar(&o.dir, "dir", "", "send the hashes of the game's files in `DIR`, the directory that has \"scripts\"")
	fs.StringVar(&o.manifest, "manifest", "", "send the hashes in `FILE`, a manifest that the program manifest has written")
	fs.DurationVar(&o.duration, "duration", 0, "leave after this time; 0 is no limit")
	fs.BoolVar(&o.verbose, "v", false, "log states and counters")
	fs.Usage = func() {
		fmt.Fprint(stderr, usage)
		fs.PrintDefaults()
	}
	if err := terminal.ParseFlags(fs, args); err != nil {
		return nil, err
	}
	err := o.check(*ship, fs.Args())
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
	case o.player.Name == "":
		return errors.New("-name: empty; give a name")
	case len([]rune(o.udp.Password)) > player.MaxName:
		return fmt.Errorf("-password: %d characters, at most %d", len([]rune(o.udp.Password)), player.MaxName)
	case o.player.Ship == nil && ship != "none":
		return fmt.Errorf("-ship %q: no such class; -h lists the classes", ship)
	case o.dir != "" && o.manifest != "":
		return errors.New("-dir, -manifest: give only one of these flags")
	case o.duration < 0:
		return fmt.Errorf("-duration %v: must not be negative", o.duration)
	case len(rest) > 0:
		return fmt.Errorf("%q: unexpected argument; -h lists the flags", rest[0])
	}
	return o.player.Validate()
}

// files returns the manifest of the bot's files and a description of its source. It may return
// the manifest of a directory with an error about files that could not be read.
func (o *options) files() (m *checksum.Manifest, from string, err error) {
	switch {
	case o.dir != "":
		return scan(o.dir)
	case o.manifest != "":
		m, err = load(o.manifest)
		return m, o.manifest, err
	}
	return checksum.Vanilla(), "the bundled manifest of the stock game", nil
}

var errNoFiles = errors.New(`no files of the game: give the directory that has "scripts"`)

func scan(dir string) (*checksum.Manifest, string, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, "", err
	}
	defer root.Close()
	m, err := checksum.Scan(root.FS(), checksum.Rounds())
	n := 0
	for i := range m.Rounds {
		if t := m.Rounds[i].Tree; t != nil {
			for range t.All() {
				n++
			}
		}
	}
	if n == 0 {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil // errNoFiles reports it
		}
		return nil, "", errors.Join(fmt.Errorf("%s: %w", dir, errNoFiles), err)
	}
	return m, fmt.Sprintf("%s (%s)", dir, terminal.Plural(n, "file")), err
}

func load(name string) (*checksum.Manifest, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m, err := checksum.LoadManifest(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}
