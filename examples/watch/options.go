package main

import (
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/netip"
	"os"

	"github.com/bcwire/bcwire/examples/capture"
	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/stateupdate"
)

// options are the flags and the argument.
type options struct {
	file        string // "" for the sample
	addr        string
	server      string // of a live match
	listen      string // for the players of a live match
	record      string // a file
	recordLimit capture.Size
	site        string // a folder for the page
	report      string // a file
	league      string // a folder of recordings
	leagueSite  string // a folder for the site of the league
	aliases     map[string]string
	private     bool // publishes addresses and passwords
	open        bool // opens the browser
	plain       bool
	passwords   bool // are shown
	port        uint
	classes     stateupdate.Catalogue
}

// sample is the recording that is shown without a FILE.
//
//go:embed fight.jsonl
var sample []byte

const usage = `Usage: watch [flags] [FILE]

Watch shows a match in the browser. A FILE is pcap, pcapng, JSON lines or hex text, also
packed or in a zip archive; "-" is standard input. Without a FILE, watch shows a bundled
match. With -server, it shows a live match: players connect to the address of -listen,
as with proxy.

`

// parseOptions reads the flags. It prints errors.
func parseOptions(args []string, stderr io.Writer) (*options, error) {
	o := &options{recordLimit: capture.DefaultLimit}
	fs := flag.NewFlagSet("watch", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.StringVar(&o.addr, "addr", "127.0.0.1:0", "serve the page at `IP:PORT`, a loopback address; port 0 is any free port")
	fs.BoolVar(&o.open, "open", false, "open the page in the browser")
	fs.StringVar(&o.server, "server", "", fmt.Sprintf("show a live match: relay to the server at `HOST[:PORT]`; without a port %d", gamespy.DefaultPort))
	fs.StringVar(&o.listen, "listen", "127.0.0.1:22102", "with -server, listen for players at `[IP]:PORT`")
	fs.StringVar(&o.record, "record", "", "with -server, write the datagrams to `FILE`; a capture if it ends in .pcapng")
	fs.Var(&o.recordLimit, "recordlimit", "with -record, stop recording at this `SIZE`, such as 500M or 2G; 0 is no limit")
	fs.StringVar(&o.site, "site", "", "write the page, which opens files without this program, to the folder `DIR`, and end")
	fs.StringVar(&o.report, "report", "", "write a report of the matches in the FILE to `FILE.html`, and end")
	fs.StringVar(&o.league, "league", "", "write a site with all matches and players of the recordings in the folder `DIR`, and end")
	fs.StringVar(&o.leagueSite, "o", "", "with -league, write to the folder `SITE`; recordings that it has are not read again")
	fs.Func("aliases", "with -league, read the names of persons from `FILE`: a line such as Ann: Annie, Captain A", o.readAliases)
	fs.BoolVar(&o.private, "private", false, "with -league, publish also the passwords and addresses in the recordings")
	fs.BoolVar(&o.plain, "plain", false, "do not decipher the datagrams: they are not enciphered")
	fs.BoolVar(&o.passwords, "passwords", false, "show the passwords of players, which are otherwise ***, and zero bytes")
	fs.Func("classes", "read the ship classes of a mod from a JSON `FILE`, in the schema of stateupdate/ships.json", o.readClasses)
	fs.UintVar(&o.port, "port", 0, "show only this UDP `PORT` of captures")
	fs.Usage = func() {
		fmt.Fprint(stderr, usage)
		fs.PrintDefaults()
	}
	if err := terminal.ParseFlags(fs, args); err != nil {
		return nil, err
	}
	given := map[string]bool{}
	fs.Visit(func(f *flag.Flag) { given[f.Name] = true })
	err := o.check(given, fs.Args())
	if err != nil {
		terminal.Complain(stderr, "watch", err)
	}
	return o, err
}

func (o *options) readClasses(file string) error {
	text, err := os.ReadFile(file)
	if err == nil {
		o.classes, err = stateupdate.ParseJSON(text)
	}
	return err
}

// check returns an error if a value is out of range, a flag that was given has no effect, or there
// are too many arguments.
func (o *options) check(given map[string]bool, rest []string) error {
	switch {
	case len(rest) > 1:
		return fmt.Errorf("%q: unexpected argument; give one FILE", rest[1])
	case given["site"] && (len(given) > 1 || len(rest) > 0):
		return errors.New("-site has no other flags and no FILE")
	case given["report"] && (o.report == "" || given["server"] || given["addr"] || given["open"]):
		return errors.New("-report needs a name, and has no -server, -addr or -open")
	case given["league"] && (o.league == "" || o.leagueSite == "" || len(rest) > 0 || given["server"] || given["addr"] || given["open"] || given["report"] || given["passwords"]):
		return errors.New("-league DIR needs -o SITE, and has no FILE, -report, -server, -addr, -open or -passwords; -private publishes passwords")
	case !given["league"] && (given["o"] || given["aliases"] || given["private"]):
		return errors.New("-o, -aliases and -private need -league")
	case o.port > 65535:
		return fmt.Errorf("-port %d: not a port: the largest is 65535", o.port)
	case o.server != "" && len(rest) > 0:
		return fmt.Errorf("%q: a FILE and -server exclude each other", rest[0])
	case o.server != "" && given["port"]:
		return errors.New("-port is for captures; give the port of a live match with -server HOST:PORT")
	case o.server == "" && given["server"]:
		return errors.New("-server: give the HOST or HOST:PORT of the server")
	}
	for _, name := range []string{"listen", "record", "recordlimit"} {
		if o.server == "" && given[name] {
			return fmt.Errorf("-%s needs -server", name)
		}
	}
	if err := checkLoopback(o.addr); err != nil {
		return fmt.Errorf("-addr %s: %w", o.addr, err)
	}
	if len(rest) == 1 {
		o.file = rest[0]
	}
	return nil
}

var errLoopback = errors.New("not the IP and port of a loopback address, such as 127.0.0.1:8080; the page has no password")

// checkLoopback returns an error if other computers could reach an address.
func checkLoopback(addr string) error {
	a, err := netip.ParseAddrPort(addr)
	if err != nil || !a.Addr().Unmap().IsLoopback() || a.Addr().Zone() != "" {
		return errLoopback
	}
	return nil
}
