package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

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
	width   int  // longest line on a terminal; 0 for no limit
}

func (o *tableOutput) format(f *found) (string, error) {
	if len(f.servers) == 0 {
		return o.summary(f) + "\n", nil
	}
	t := table.NewWriter()
	t.SetStyle(table.Style{
		Box:     table.BoxStyle{PaddingRight: "  ", UnfinishedRow: "…"},
		Options: table.OptionsNoBordersAndSeparators,
		Size:    table.SizeOptions{WidthMax: o.width},
	})
	t.SetColumnConfigs([]table.ColumnConfig{
		{Number: 3, Align: text.AlignRight, AlignHeader: text.AlignRight},
		{Number: 6, Align: text.AlignRight, AlignHeader: text.AlignRight},
	})
	t.SuppressTrailingSpaces()
	head := table.Row{"PW", "NAME", "PLAYERS", "MAP", "MODE", "PING", "ADDRESS", ""}
	for i, title := range head {
		head[i] = o.style.dim.Sprint(title)
	}
	t.AppendHeader(head)
	for i := range f.servers {
		o.server(t, &f.servers[i])
	}
	return t.Render() + "\n" + o.summary(f) + "\n", nil
}

// server adds the row of a server, and the rows of its players.
func (o *tableOutput) server(t table.Writer, r *query.Result) {
	info := r.Pairs.ServerInfo()
	name, note := o.style.name, ""
	if r.Incomplete {
		name, note = o.style.bad, o.style.bad.Sprint("incomplete")
	}
	lock := " "
	if info.Password {
		lock = "*"
	}
	t.AppendRow(table.Row{
		orUnknown(&info, "password", lock),
		name.Sprint(orUnknown(&info, "hostname", cellText(info.HostName))),
		o.occupancy(&info),
		orUnknown(&info, "mapname", cellText(info.MapName)),
		orUnknown(&info, "gamemode", mode(info.GameMode)),
		ping(r.Ping),
		o.style.dim.Sprint(r.From),
		note,
	})
	if !o.players {
		return
	}
	for i, player := range info.Players {
		if i == maxPlayers {
			t.AppendRow(table.Row{"", o.style.dim.Sprintf("  … and %d more", len(info.Players)-i)})
			break
		}
		t.AppendRow(table.Row{"", o.style.dim.Sprint("  " + cellText(player))})
	}
}

// maxPlayers is the number of players of a server whose names the table has. A match has fewer.
const maxPlayers = 2 * objectid.Slots

// occupancy returns the number of players and their limit.
func (o *tableOutput) occupancy(info *gamespy.ServerInfo) string {
	s := orUnknown(info, "numplayers", strconv.Itoa(info.NumPlayers)) + "/" +
		orUnknown(info, "maxplayers", strconv.Itoa(info.MaxPlayers))
	if info.NumPlayers > 0 {
		return o.style.good.Sprint(s)
	}
	return s
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

func ping(d time.Duration) string {
	if d < time.Millisecond {
		return "<1 ms"
	}
	return fmt.Sprintf("%d ms", d.Milliseconds())
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
	return o.style.dim.Sprint(text)
}
