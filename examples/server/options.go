package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/netip"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/examples/capture"
	"github.com/bcwire/bcwire/examples/internal/gamefiles"
	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/examples/server/game"
	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// options are the flags.
type options struct {
	addr                                     netip.AddrPort
	match                                    game.Options
	mission                                  string
	system, maxPlayers, timeLimit, fragLimit int // minutes and kills; 0 means no limit
	policy                                   checksum.Policy
	master, manifest, scripts                string
	metrics, record                          string
	recordLimit                              capture.Size
	json, verbose                            bool
}

// leastLoading is the time for which package join keeps the slot of a client that loads the game.
const leastLoading = 20 * time.Second

const usage = `Usage: server [flags]

Server hosts a match of Bridge Commander. Lines of standard input are commands:
` + game.Commands + `.
In kick "#5", the quotes enclose a name.

`

// parseOptions parses the flags. It prints an error.
func parseOptions(args []string, stderr io.Writer) (*options, error) {
	o := &options{recordLimit: capture.DefaultLimit}
	host := &o.match.Host
	fs := flag.NewFlagSet("server", flag.ContinueOnError)
	fs.SetOutput(stderr)
	addr := fs.String("addr", fmt.Sprintf("127.0.0.1:%d", gamespy.DefaultPort), "listen at `IP:PORT`; the protocol has IPv4 only")
	fs.StringVar(&o.match.Name, "name", "bcwire", "name of the server in browsers")
	fs.StringVar(&o.mission, "map", "Multiplayer.Episode.Mission1.Mission1", "`SCRIPT` of the mission; the game has Mission1 (every player alone), Mission2 and Mission3 (teams), and Mission5 (a starbase)")
	fs.IntVar(&o.system, "system", 1, "star system: 1 to 7 are Multi1 to Multi7, 8 is Albirea, 9 is Poseidon")
	fs.IntVar(&o.maxPlayers, "max", 8, "largest number of players; the menus of the game offer 2 to 8, the protocol has 16")
	fs.IntVar(&host.Hub.MaxPerIP, "perip", 4, "largest number of sessions of one IP address")
	fs.BoolVar(&host.Hub.RandomPeerIDs, "randomids", false, "assign random peer IDs, against blind attackers; captures of the game have IDs up to 17 only")
	fs.StringVar(&host.Password, "password", "", "password for players")
	fs.StringVar(&o.master, "master", "", "list the match at the master server `HOST[:PORT]`")
	fs.IntVar(&o.timeLimit, "timelimit", 0, "time limit in minutes; 0 means no limit")
	fs.IntVar(&o.fragLimit, "fraglimit", 0, "kills of a player that end the match; 0 means no limit")
	fs.BoolVar(&host.Settings.CollisionDamage, "collisions", true, "collisions damage ships; -collisions=false switches this off")
	fs.BoolVar(&o.match.Combat, "combat", true, "compute the damage of weapons and collisions; -combat=false relays shots without damage")
	fs.BoolVar(&o.match.Strict, "strict", false, "refuse motion and shots that no ship is capable of; the default notes them in the log and the metrics")
	fs.BoolVar(&host.Settings.HostModem, "modem", false, "report to clients that the host is on a modem, and send fewer ship updates")
	fs.BoolVar(&o.match.AllShips, "allships", false, "send the updates of all ships to all players, also without a ship, ten times a second; the default is as in the game")
	fs.BoolVar(&o.match.StockBeacon, "stockbeacon", false, "send heartbeats to the master server at the times of the game, and none at the end")
	fs.DurationVar(&o.match.Pause, "pause", 15*time.Second, "time between two rounds")
	fs.DurationVar(&host.Idle, "idle", 0, "kick a player who has sent no message of the game for this time; 0 means never")
	fs.DurationVar(&host.LoadTimeout, "loadtime", 2*time.Minute, "kick a client that takes longer to load the game")
	fs.StringVar(&o.manifest, "manifest", "", "compare the files of players with the manifest in `FILE`")
	fs.Func("policy", "`POLICY` of the comparison: allowextra (default) allows additional files, strict allows no differences, acceptall allows all, learnfirst is strict and learns missing hashes from the first player, stock is the rule of the game; without -manifest, only learnfirst compares files", o.setPolicy)
	fs.StringVar(&o.scripts, "scripts", "", "send mission scripts in `DIR`, of an installation, to players who lack them; needs -manifest")
	fs.StringVar(&o.metrics, "metrics", "", "serve /metrics and /ready at `IP:PORT`")
	fs.StringVar(&o.record, "record", "", "record all datagrams in `FILE`, for the programs dump and watch; a capture if it ends in .pcapng; FILE.hits gets the damage, a line for each hit")
	fs.Var(&o.recordLimit, "recordlimit", "stop recording at this `SIZE`, such as 500M or 2G; 0 is no limit")
	fs.BoolVar(&o.json, "json", false, "log in JSON")
	fs.BoolVar(&o.verbose, "v", false, "also log dropped messages")
	fs.Usage = func() {
		fmt.Fprint(stderr, usage)
		fs.PrintDefaults()
	}
	if err := terminal.ParseFlags(fs, args); err != nil {
		return nil, err
	}
	if err := cmp.Or(
		terminal.NoArguments(fs), terminal.NotEmpty(fs, "master", "manifest", "scripts", "metrics", "record"),
		terminal.Needs(fs, "recordlimit", "record"), terminal.Needs(fs, "stockbeacon", "master"), o.check(*addr),
	); err != nil {
		terminal.Complain(stderr, "server", err)
		return nil, err
	}
	return o, nil
}

func (o *options) setPolicy(name string) error {
	for p := checksum.AllowExtra; p <= checksum.Stock; p++ {
		if strings.EqualFold(name, p.String()) {
			o.policy = p
			return nil
		}
	}
	return errors.New("the policies are allowextra, strict, acceptall, learnfirst and stock")
}

// check returns an error for values that the protocol cannot represent.
func (o *options) check(addr string) error {
	o.addr, _ = netip.ParseAddrPort(addr)
	host := &o.match.Host
	nameLength := 63 // bytes that the browser of the game shows
	if host.Password != "" {
		nameLength-- // for an asterisk
	}
	switch {
	case !o.addr.Addr().Is4():
		return fmt.Errorf("-addr %q is not an IPv4 address with a port, such as 0.0.0.0:%d", addr, gamespy.DefaultPort)
	case o.match.Pause < 0:
		return fmt.Errorf("-pause %v is negative", o.match.Pause)
	case host.Idle < 0:
		return fmt.Errorf("-idle %v is negative", host.Idle)
	case host.LoadTimeout < leastLoading:
		return fmt.Errorf("-loadtime %v is less than %v", host.LoadTimeout, leastLoading)
	case host.Hub.MaxPerIP < 1:
		return fmt.Errorf("-perip %d: must be more than 0", host.Hub.MaxPerIP)
	case o.scripts != "" && o.manifest == "":
		return errors.New("-scripts needs -manifest: the server sends the scripts that differ from a manifest")
	}
	if text, err := stream.NewText(o.mission); err == nil {
		host.Settings.Map = text
	}
	host.Mission = opcode.MissionInit{
		PlayerLimit: uint8(o.maxPlayers), System: opcode.System(o.system), TimeLimit: uint8(o.timeLimit), FragLimit: uint8(o.fragLimit),
	}
	return cmp.Or(
		checkNumber("-system", o.system, int(opcode.SystemMulti1), int(opcode.SystemPoseidon)),
		checkNumber("-max", o.maxPlayers, 1, objectid.Slots),
		checkNumber("-timelimit", o.timeLimit, 0, 254),
		checkNumber("-fraglimit", o.fragLimit, 0, 254),
		checkText("-name", o.match.Name, nameLength),
		checkText("-map", o.mission, 255), // the length of a file name
		checkMap(o.mission),
		checkPassword(host.Password),
	)
}

var missionScript = regexp.MustCompile(`^Multiplayer\.Episode\.[A-Za-z_]\w*\.[A-Za-z_]\w*$`)

// checkMap returns an error for a name that is not the name of a mission's script. The game finds the
// missions, also those of mods, as modules in Multiplayer/Episode.
func checkMap(name string) error {
	if !missionScript.MatchString(name) {
		return fmt.Errorf("-map %.80q is not a script of a mission, such as Multiplayer.Episode.Mission1.Mission1", name)
	}
	return nil
}

// checkPassword returns an error for a password that no client can send.
func checkPassword(password string) error {
	text, err := transport.NewUTF16Z(password)
	if err == nil {
		_, err = transport.NewClient(time.Time{}, transport.ConnectRequest{Password: text}, transport.Options{})
	}
	if err != nil {
		return fmt.Errorf("-password: %w", err)
	}
	return nil
}

func checkNumber(flag string, n, least, most int) error {
	if n < least || n > most {
		return fmt.Errorf("%s %d is not between %d and %d", flag, n, least, most)
	}
	return nil
}

// checkText returns an error for a text that players or browsers cannot show unchanged.
func checkText(flag, s string, most int) error {
	t, err := stream.NewText(s)
	switch {
	case err != nil:
		return fmt.Errorf("%s %.80q has characters outside of Windows-1252, which the game cannot show", flag, s)
	case len(t) == 0 || len(t) > most:
		return fmt.Errorf("%s has %d bytes, not 1 to %d", flag, len(t), most)
	case strings.ContainsFunc(s, func(r rune) bool { return r == '\\' || r < ' ' }):
		return fmt.Errorf("%s %.80q has a backslash or a control character, which browsers cannot show", flag, s)
	}
	return nil
}

// files returns the files with which the files of players are compared.
func (o *options) files() (*checksum.Server, error) {
	s := &checksum.Server{Policy: o.policy}
	if o.scripts != "" {
		root, err := os.OpenRoot(o.scripts) // links do not lead out of a Root
		if err != nil {
			return nil, fmt.Errorf("-scripts: %w", err)
		}
		s.Files = root.FS()
	}
	if o.manifest == "" {
		return s, nil
	}
	var err error
	s.Manifest, err = gamefiles.Open(o.manifest)
	return s, err
}
