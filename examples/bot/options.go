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

// parseOptions reads the flags. It prints the error that it returns.
func parseOptions(args []string, stderr io.Writer) (*options, error) {
	o := &options{}
	fs := flag.NewFlagSet("bot", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.StringVar(&o.addr, "addr", "127.0.0.1", fmt.Sprintf("`HOST[:PORT]` to connect to; without a port %d", gamespy.DefaultPort))
	fs.StringVar(&o.player.Name, "name", player.DefaultName, "the player's name")
	fs.StringVar(&o.udp.Password, "password", "", "of the match")
	ship := fs.String("ship", "akira", "the class of the player's ships, or none: "+strings.Join(classes(), ", "))
	fs.StringVar(&o.player.Say, "say", "", "a line of chat, said once")
	fs.BoolVar(&o.player.Fire, "fire", false, "fire at the nearest ship")
	fs.Uint64Var(&o.player.Seed, "seed", 1, "of the course; the same seed flies the same")
	fs.StringVar(&o.dir, "dir", "", "the `DIR` of an installation of the game, whose files the host asks for")
	fs.StringVar(&o.manifest, "manifest", "", "a `FILE` with a manifest to answer from, in its stead")
	fs.DurationVar(&o.duration, "duration", 0, "leave after this time; 0 is never")
	fs.BoolVar(&o.verbose, "v", false, "log states and counts")
	fs.Usage = func() {
		fmt.Fprint(stderr, "Usage: bot [flags]\n\nBot joins a match of Bridge Commander as a player without a screen.\n\n")
		fs.PrintDefaults()
	}
	if err := terminal.ParseFlags(fs, args); err != nil {
		return nil, err
	}
	err := o.check(*ship, fs.NArg())
	if err != nil {
		terminal.Complain(stderr, "bot", err)
	}
	return o, err
}

// classes returns the keys of the classes that the menus of the game offer.
func classes() (names []string) {
	for _, c := range stateupdate.StockClasses() {
		if c.Species <= opcode.SpeciesShuttle {
			names = append(names, c.Key)
		}
	}
	return names
}

func (o *options) check(ship string, rest int) error {
	o.addr = hostport.WithPort(o.addr, gamespy.DefaultPort)
	_, port, _ := net.SplitHostPort(o.addr)
	n, err := strconv.ParseUint(port, 10, 16)
	if slices.Contains(classes(), ship) {
		o.player.Ship = stateupdate.Named(ship)
	}
	switch {
	case err != nil || n == 0:
		return fmt.Errorf("-addr %s: no such port", o.addr)
	case o.player.Name == "":
		return errors.New("-name: empty")
	case len([]rune(o.udp.Password)) > player.MaxName:
		return errors.New("-password: too long")
	case o.player.Ship == nil && ship != "none":
		return fmt.Errorf("-ship: there is no class %q", ship)
	case o.dir != "" && o.manifest != "":
		return errors.New("-dir, -manifest: choose one")
	case o.duration < 0:
		return errors.New("-duration: negative")
	case rest > 0:
		return errors.New("takes no arguments")
	}
	return o.player.Validate()
}

// files returns the manifest of the bot's files and a description of its source. A manifest of
// a directory may come with an error about files that could not be read.
func (o *options) files() (m *checksum.Manifest, from string, err error) {
	switch {
	case o.dir != "":
		return scan(o.dir)
	case o.manifest != "":
		m, err = load(o.manifest)
		return m, o.manifest, err
	}
	return checksum.Vanilla(), "the bundled manifest of the unmodified game", nil
}

var errNoFiles = errors.New(`nothing of the game in it: it needs to be the directory with "scripts"`)

func scan(dir string) (*checksum.Manifest, string, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, "", err
	}
	defer root.Close()
	installation := checksum.Installation{FS: root.FS()}
	m, err := installation.Manifest(dir)
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
			err = nil // errNoFiles has this reason
		}
		return nil, "", errors.Join(fmt.Errorf("%s: %w", dir, errNoFiles), err)
	}
	return m, fmt.Sprintf("%s, %d of them", dir, n), err
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
