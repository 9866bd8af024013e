// Package stock has the texts of the stock game that several packages need.
package stock

// The texts of a dedicated server of the stock game.
const (
	HostName = "Dedicated Server"                      // of the host among the players
	Mission  = "Multiplayer.Episode.Mission1.Mission1" // script of the mission
)
