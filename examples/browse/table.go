package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/gamespy/query"
	"github.com/bcwire/bcwire/objectid"
)

// output formats the result of a scan.
type output interface {
	format(f *found) (string, error)
}

// output returns the output that the flags choose.
func (o *options) output(w io.Writer) output {
	if o.json {
		return jsonOutput{}
	}
	return &tableOutput{style: newStyle(terminal.Colourful(w)), players: o.players}
}

// tableOutput prints a line per server.
type tableOutput struct {
	style   style
	players bool // print the names of the players
}

func (o *tableOutput) format(f *found) (string, error) {
	if len(f.servers) == 0 {
		return o.summary(f) + "\n", nil
	}
	var aligned strings.Builder
	w := tabwriter.NewWriter(&aligned, 0, 0, 2, ' ', 0)
	dim := func(text string) string { return o.style.dim.Paint(text) }
	row(w, dim("PW"), dim("NAME"), dim("PLAYERS"), dim("MAP"), dim("MODE"), dim("  PING"), dim("ADDRESS"))
	for i := range f.servers {
		o.server(w, &f.servers[i])
	}
	w.Flush()
	var text strings.Builder
	for line := range strings.Lines(aligned.String()) {
		fmt.Fprintln(&text, strings.TrimRight(line, " \n"))
	}
	fmt.Fprintln(&text, o.summary(f))
	return text.String(), nil
}

// row writes a row. All rows must have the same cells, and all cells a colour, to be aligned. A note may follow the
// last cell.
func row(w io.Writer, cells ...string) { fmt.Fprintln(w, strings.Join(cells, "\t")) }

// server writes the row of a server, and the rows of its players.
func (o *tableOutput) server(w io.Writer, r *query.Result) {
	info := r.Pairs.ServerInfo()
	name, note := o.style.name, ""
	if r.Incomplete {
		name, note = o.style.bad, o.style.bad.Paint("incomplete")
	}
	lock := ""
	if info.Password {
		lock = "*"
	}
	normal := func(text string) string { return o.style.normal.Paint(text) }
	row(w,
		normal(orUnknown(&info, "password", lock)),
		name.Paint(orUnknown(&info, "hostname", cellText(info.HostName))),
		o.occupancy(&info),
		normal(orUnknown(&info, "mapname", cellText(info.MapName))),
		normal(orUnknown(&info, "gamemode", mode(info.GameMode))),
		normal(ping(r.Ping)),
		o.style.dim.Paint(r.From.String()),
		note,
	)
	if !o.players {
		return
	}
	player := func(text string) {
		row(w, normal(""), o.style.dim.Paint("  "+text), normal(""), normal(""), normal(""), normal(""), normal(""), "")
	}
	for i, name := range info.Players {
		if i == maxPlayers {
			player(fmt.Sprintf("… and %d more", len(info.Players)-i))
			break
		}
		player(cellText(name))
	}
}

// maxPlayers is the number of players of a server whose names the table has. A match has fewer.
const maxPlayers = 2 * objectid.Slots

// occupancy returns the number of players and their limit, aligned to the right.
func (o *tableOutput) occupancy(info *gamespy.ServerInfo) string {
	s := orUnknown(info, "numplayers", strconv.Itoa(info.NumPlayers)) + "/" +
		orUnknown(info, "maxplayers", strconv.Itoa(info.MaxPlayers))
	s = fmt.Sprintf("%7s", s)
	if info.NumPlayers > 0 {
		return o.style.good.Paint(s)
	}
	return o.style.normal.Paint(s)
}

// orUnknown returns the text of the field with a key, or a question mark if the server did not send it.
func orUnknown(info *gamespy.ServerInfo, key, s string) string {
	if slices.Contains(info.Missing, key) {
		return "?"
	}
	return s
}

func mode(t string) string {
	if t == gamespy.ModePlaying {
		return "playing"
	}
	return cellText(t)
}

// ping returns a time in milliseconds, aligned to the right.
func ping(d time.Duration) string {
	if d < time.Millisecond {
		return " <1 ms"
	}
	return fmt.Sprintf("%3d ms", d.Milliseconds())
}

// summary returns the number of servers in words.
func (o *tableOutput) summary(f *found) string {
	incomplete := 0
	for _, r := range f.servers {
		if r.Incomplete {
			incomplete++
		}
	}
	text := terminal.Plural(len(f.servers), "server")
	if len(f.servers) == 0 {
		text = "no servers"
	}
	if incomplete > 0 {
		text += fmt.Sprintf(", %d incomplete", incomplete)
	}
	if f.silent > 0 {
		text += "; no reply from " + terminal.Plural(f.silent, "server")
	}
	return o.style.dim.Paint(text)
}
