package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"

	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/examples/watch/internal/league"
	"github.com/bcwire/bcwire/examples/watch/internal/report"
)

// writeLeague writes the site of a folder of recordings.
func (o *options) writeLeague(ctx context.Context, stderr io.Writer) error {
	style, err := reportStyle()
	if err != nil {
		return err
	}
	l := league.Options{
		Dir: o.league, Site: o.leagueSite, Aliases: o.aliases, Classes: o.classes, Plain: o.plain, Port: uint16(o.port), Private: o.private, Page: writeSite,
		Report: func(title, recording string, reports []*report.Report) ([]byte, error) {
			for _, r := range reports {
				r.Watch = "../watch/index.html?file=./" + url.QueryEscape(url.PathEscape(recording)) // an address in an address
			}
			return (&reportPage{Title: terminal.Line(title), Recording: recording, Reports: reports}).render()
		},
		Style: string(style), Complain: func(err error) { terminal.Complain(stderr, "watch", err) },
	}
	return l.Write(ctx)
}

// readAliases reads a file with a line for each person, "Ann: Annie, Captain A".
func (o *options) readAliases(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	o.aliases = map[string]string{}
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\uFEFF"))
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		person, names, ok := strings.Cut(line, ":")
		if person = strings.TrimSpace(person); !ok || person == "" {
			return fmt.Errorf("line %d of %s: write the person, a colon and the names, such as Ann: Annie, Captain A", n, file)
		}
		for name := range strings.SplitSeq(names, ",") {
			if name = strings.TrimSpace(name); name == "" { // after a last comma
				continue
			}
			if other, twice := o.aliases[name]; twice && other != person {
				return fmt.Errorf("line %d of %s: %q is also a name of %s", n, file, name, other)
			}
			o.aliases[name] = person
		}
	}
	return lines.Err()
}
