// Package figures answers the queries of examples/dump/queries.md and of examples/lab/cluster/league.md from
// recordings and captures, with the packages of the library and without Parquet. Tests compare the answers of query engines with it.
package figures

import "fmt"

// Recordings are the recordings that queries are about. The zero value has none.
type Recordings struct {
	facts
	happened
}

// Add adds the content of a recording or of a capture, with the name that it has in the column source.
func (r *Recordings) Add(source, text string) error {
	if err := r.observe(source, text); err != nil {
		return fmt.Errorf("%s: %w", source, err)
	}
	if err := r.follow(source, text); err != nil {
		return fmt.Errorf("%s: %w", source, err)
	}
	return nil
}

// Answers returns the rows of the answers, by the heading in queries.md. A heading with several queries has
// several answers. The query about the versions of files has none.
func (r *Recordings) Answers() map[string][][][]string {
	return map[string][][][]string{
		"Kills per weapon":       {r.killsPerWeapon()},
		"Who killed whom":        {r.kills()},
		"Damage taken over time": {r.damage()},
		"Shots":                  {r.shots()},
		"Chat":                   {r.chat()},
		"Heatmap":                {r.heatmap()},
		"Average speed by class": {r.speeds()},
		"Weakest hulls":          {r.hulls()},
		"Traffic":                {r.mostTraffic()},
		"Fields of a message":    {r.ships()},
		"Round-trip times":       {r.roundTrips()},
		"Loss and repetition":    {r.repetition()},
		"A thousand files":       {r.totals(), r.killers()},
	}
}
