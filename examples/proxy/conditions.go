package main

import (
	"flag"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/bcwire/bcwire/transport/recording"
)

// direction is the direction of datagrams.
type direction int

const (
	toServer direction = iota
	toClient
)

// recorded returns the direction in recordings.
func (d direction) recorded() recording.Direction {
	return [2]recording.Direction{recording.ToServer, recording.ToClient}[d]
}

// conditions are the conditions of the network in one direction.
type conditions struct {
	drop, duplicate, reorder float64 // probabilities, 0 to 1
	delay, jitter, hold      time.Duration
}

// maxDelay is the longest delay, jitter or hold.
const maxDelay = 10 * time.Second

// networkFlags defines the flags of the bad network.
func (o *options) networkFlags(fs *flag.FlagSet) {
	for d := range o.conditions {
		o.conditions[d].hold = 100 * time.Millisecond
	}
	chances := func(name, usage string, field func(*conditions) *float64) {
		fs.Func(name, usage, func(text string) error {
			return perDirection(text, func(d direction, value string) (err error) {
				*field(&o.conditions[d]), err = parseChance(value)
				return err
			})
		})
	}
	times := func(name, usage string, field func(*conditions) *time.Duration) {
		fs.Func(name, usage, func(text string) error {
			return perDirection(text, func(d direction, value string) (err error) {
				*field(&o.conditions[d]), err = parseDelay(value)
				return err
			})
		})
	}
	chances("drop", "drop a `share` of the datagrams, such as 5%", func(c *conditions) *float64 { return &c.drop })
	chances("duplicate", "send a `share` of the datagrams twice, such as 1%", func(c *conditions) *float64 { return &c.duplicate })
	chances("reorder", "hold back a `share` of the datagrams for the time of -hold, such as 2%", func(c *conditions) *float64 { return &c.reorder })
	times("delay", "delay datagrams by a `time`, such as 50ms", func(c *conditions) *time.Duration { return &c.delay })
	times("jitter", "make the delay shorter or longer by up to this `time`", func(c *conditions) *time.Duration { return &c.jitter })
	times("hold", "the `time` for which -reorder holds datagrams back (default 100ms)", func(c *conditions) *time.Duration { return &c.hold })
}

// perDirection calls set for each direction and value in a text such as "5%" or "c2s=10%,s2c=1%".
func perDirection(text string, set func(d direction, value string) error) error {
	for part := range strings.SplitSeq(text, ",") {
		name, value, one := strings.Cut(part, "=")
		if !one {
			value = part
		}
		found := false
		for _, d := range []direction{toServer, toClient} {
			if one && name != string(d.recorded()) {
				continue
			}
			found = true
			if err := set(d, value); err != nil {
				return err
			}
		}
		if !found {
			return fmt.Errorf("direction %q is neither c2s nor s2c", name)
		}
	}
	return nil
}

// parseChance reads a percentage.
func parseChance(text string) (float64, error) {
	percent, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
	if err != nil || math.IsNaN(percent) || percent < 0 || percent > 100 {
		return 0, fmt.Errorf("%q is not between 0%% and 100%%", text)
	}
	return percent / 100, nil
}

func parseDelay(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err == nil && (d < 0 || d > maxDelay) {
		err = fmt.Errorf("%q is not between 0s and %v", text, maxDelay)
	}
	return d, err
}
