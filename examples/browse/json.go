package main

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/gamespy/query"
)

// jsonOutput prints an object per server.
type jsonOutput struct{}

// serverJSON is the object of a server. Values that the server did not send are null.
type serverJSON struct {
	Address    string     `json:"address"`
	Ping       float64    `json:"ping"` // milliseconds
	Incomplete bool       `json:"incomplete"`
	Name       *string    `json:"name"`
	Password   *bool      `json:"password"`
	NumPlayers *int       `json:"numPlayers"`
	MaxPlayers *int       `json:"maxPlayers"`
	Players    []string   `json:"players"`
	Map        *string    `json:"map"`
	Mission    *string    `json:"mission"`
	Mode       *string    `json:"mode"`
	System     *string    `json:"system"`
	TimeLimit  *int       `json:"timeLimit"` // minutes; negative for no limit
	FragLimit  *int       `json:"fragLimit"` // negative for no limit
	Game       *string    `json:"game"`
	Version    *string    `json:"version"`
	Location   *int       `json:"location"`
	Extra      []pairJSON `json:"extra"`
}

// pairJSON is a key that the library does not know, and its value.
type pairJSON struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

func (jsonOutput) format(f *found) (string, error) {
	var b strings.Builder
	enc := json.NewEncoder(terminal.JSON(&b))
	enc.SetEscapeHTML(false)
	for i := range f.servers {
		if err := enc.Encode(objectOf(&f.servers[i])); err != nil {
			return "", err
		}
	}
	return b.String(), nil
}

func objectOf(r *query.Result) *serverJSON {
	info := r.Pairs.ServerInfo()
	j := &serverJSON{
		Address:    r.From.String(),
		Ping:       float64(r.Ping.Microseconds()) / 1000,
		Incomplete: r.Incomplete,
		Name:       orNull(&info, "hostname", info.HostName),
		Password:   orNull(&info, "password", info.Password),
		NumPlayers: orNull(&info, "numplayers", info.NumPlayers),
		MaxPlayers: orNull(&info, "maxplayers", info.MaxPlayers),
		Players:    append([]string{}, info.Players...),
		Map:        orNull(&info, "mapname", info.MapName),
		Mission:    orNull(&info, "missionscript", info.MissionScript),
		Mode:       orNull(&info, "gamemode", info.GameMode),
		System:     orNull(&info, "system", info.System),
		TimeLimit:  orNull(&info, "timelimit", info.TimeLimit),
		FragLimit:  orNull(&info, "fraglimit", info.FragLimit),
		Game:       orNull(&info, "gamename", info.GameName),
		Version:    orNull(&info, "gamever", info.GameVer),
		Location:   orNull(&info, "location", info.Location),
		Extra:      []pairJSON{},
	}
	for _, p := range info.Extra {
		j.Extra = append(j.Extra, pairJSON(p))
	}
	return j
}

func orNull[T any](info *gamespy.ServerInfo, key string, v T) *T {
	if slices.Contains(info.Missing, key) {
		return nil
	}
	return &v
}
