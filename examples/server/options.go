package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/netip"
	"strings"
	"time"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/opcode"
)

// options are the flags.
type options struct {
	settings
	addr        netip.AddrPort
	master      string // HOST or HOST:PORT
	manifest    string // a file
	policy      checksum.Policy
	perIP       int    // players of one IP address
	randomIDs   bool   // peer IDs are random
	stockBeacon bool   // heartbeats as the game sends them
	scripts     string // a directory
	metrics     string // an address
	record      string // a file
	json        bool   // logs
	verbose     bool
}

const usage = `Usage: server [flags]

Server hosts a match of Bridge Commander. Lines of standard input are commands:
players, say TEXT, kick NAME, kick "NAME", kick #PEER, end, restart, quit.

With "go run -C examples", relative names of files are relative to that directory.

`

var errUsage = errors.New("wrong flags")

// parseOptions reads the flags. It prints what is wrong with them.
func parseOptions(args []string, stderr io.Writer) (*options, error) {
	o := &options{}
	o.system = 1
	fs := flag.NewFlagSet("server", flag.ContinueOnError)
	fs.SetOutput(stderr)
	addr := fs.String("addr", fmt.Sprintf("127.0.0.1:%d", gamespy.DefaultPort), "`IP:PORT` to listen at, of IPv4: the protocol has no other addresses")
	fs.StringVar(&o.name, "name", "bcwire", "what browsers show")
	fs.StringVar(&o.mission, "map", "Multiplayer.Episode.Mission1.Mission1", "the mission's script")
	system := fs.Uint("system", 1, "the star system: 1 to 7 are Multi1 to Multi7, 8 Albirea, 9 Poseidon")
	fs.IntVar(&o.maxPlayers, "max", 8, "players; the game's menus offer 2 to 8, the protocol has room for 16")
	fs.IntVar(&o.perIP, "perip", 4, "players of one IP address")
	fs.BoolVar(&o.randomIDs, "randomids", false, "give out random peer IDs, against blind attackers; the stock game is known with IDs up to 17")
	fs.StringVar(&o.password, "password", "", "what players must know")
	fs.StringVar(&o.master, "master", "", "tell the master at `HOST[:PORT]` of the match")
	fs.IntVar(&o.timeLimit, "timelimit", 0, "minutes; 0 is no limit")
	fs.IntVar(&o.fragLimit, "fraglimit", 0, "kills; 0 is no limit")
	fs.BoolVar(&o.collisionDamage, "collisions", true, "collisions do harm")
	fs.BoolVar(&o.hostModem, "modem", false, "tell clients that the host is on a modem, and send fewer ship updates")
	fs.BoolVar(&o.plainUpdates, "plain", false, "send everybody updates of all ships ten times a second; without it, only players with a ship get updates, as often as from the game")
	fs.BoolVar(&o.stockBeacon, "stockbeacon", false, "tell the master of the match as often as the game does, and not of its end")
	fs.DurationVar(&o.pause, "pause", 15*time.Second, "time between a match and the next")
	fs.StringVar(&o.manifest, "manifest", "", "compare players' files with the manifest in this `FILE`")
	fs.Func("policy", "what keeps a player out: the `POLICY` is allowextra (default), strict, acceptall, learnfirst, or stock for the rule of the game", o.setPolicy)
	fs.StringVar(&o.scripts, "scripts", "", "send mission scripts of the installation in this `DIR` to those who lack them; needs -manifest")
	fs.StringVar(&o.metrics, "metrics", "", "serve /metrics and /ready at `IP:PORT`")
	fs.StringVar(&o.record, "record", "", "write all datagrams to this `FILE`, for dump; a capture if it ends in .pcapng")
	fs.BoolVar(&o.json, "json", false, "log in JSON")
	fs.BoolVar(&o.verbose, "v", false, "log what is dropped, too")
	fs.Usage = func() {
		fmt.Fprint(stderr, usage)
		fs.PrintDefaults()
	}
	if err := terminal.ParseFlags(fs, args); err != nil {
		return nil, err
	}
	err := o.check(*addr, *system, fs.Args())
	if err != nil {
		terminal.Complain(stderr, "server", err)
	}
	return o, err
}

func (o *options) setPolicy(name string) error {
	for p := checksum.AllowExtra; p <= checksum.Stock; p++ {
		if strings.EqualFold(name, p.String()) {
			o.policy = p
			return nil
		}
	}
	return fmt.Errorf("there is no policy %q", name)
}

// check refuses what the protocol cannot say.
func (o *options) check(addr string, system uint, rest []string) error {
	o.addr, _ = netip.ParseAddrPort(addr)
	o.system = opcode.System(system)
	for _, c := range []struct {
		ok   bool
		what string
	}{
		{len(rest) == 0, fmt.Sprintf("%q: no arguments are expected", rest)},
		{o.addr.Addr().Is4(), fmt.Sprintf("-addr %q is not an IPv4 address with a port, such as 0.0.0.0:%d", addr, gamespy.DefaultPort)},
		{system >= 1 && system <= 255, fmt.Sprintf("-system %d is not between 1 and 255", system)},
		{o.maxPlayers >= 1 && o.maxPlayers <= maxSlots, fmt.Sprintf("-max %d is not between 1 and %d", o.maxPlayers, maxSlots)},
		{o.perIP >= 1, fmt.Sprintf("-perip %d: nobody could play", o.perIP)},
		{o.timeLimit >= 0 && o.timeLimit <= maxTimeLimit, fmt.Sprintf("-timelimit %d is not between 0 and %d", o.timeLimit, maxTimeLimit)},
		{o.fragLimit >= 0 && o.fragLimit <= maxFragLimit, fmt.Sprintf("-fraglimit %d is not between 0 and %d", o.fragLimit, maxFragLimit)},
		{o.pause >= 0, fmt.Sprintf("-pause %v is negative", o.pause)},
		{o.scripts == "" || o.manifest != "", "-scripts without -manifest: what is not compared is not sent"},
	} {
		if !c.ok {
			return fmt.Errorf("%w: %s", errUsage, c.what)
		}
	}
	return o.checkTexts()
}
