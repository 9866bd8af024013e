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

// way is a direction.
type way int

const (
	toServer way = iota
	toClient
)

func (w way) dir() recording.Direction {
	return [2]recording.Direction{recording.ToServer, recording.ToClient}[w]
}

// conditions are those of the network in one direction.
type conditions struct {
	drop, duplicate, reorder float64 // chances, 0 to 1
	delay, jitter, hold      time.Duration
}

// maxDelay is the longest delay, jitter or hold.
const maxDelay = 10 * time.Second

// networkFlags defines the flags of the conditions.
func (o *options) networkFlags(fs *flag.FlagSet) {
	for w := range o.ways {
		o.ways[w].hold = 100 * time.Millisecond
	}
	chances := func(name, usage string, field func(*conditions) *float64) {
		fs.Func(name, usage, func(text string) error {
			return perWay(text, func(w way, value string) (err error) {
				*field(&o.ways[w]), err = parseChance(value)
				return err
			})
		})
	}
	times := func(name, usage string, field func(*conditions) *time.Duration) {
		fs.Func(name, usage, func(text string) error {
			return perWay(text, func(w way, value string) (err error) {
				*field(&o.ways[w]), err = parseDelay(value)
				return err
			})
		})
	}
	chances("drop", "lose this share of datagrams, such as `5%`", func(c *conditions) *float64 { return &c.drop })
	chances("duplicate", "send this share twice, such as `1%`", func(c *conditions) *float64 { return &c.duplicate })
	chances("reorder", "send this share late, such as `2%`", func(c *conditions) *float64 { return &c.reorder })
	times("delay", "delay datagrams by a `time`, such as 50ms", func(c *conditions) *time.Duration { return &c.delay })
	times("jitter", "delay them by up to this `time` more or less", func(c *conditions) *time.Duration { return &c.jitter })
	times("hold", "the `time` by which -reorder sends datagrams late (default 100ms)", func(c *conditions) *time.Duration { return &c.hold })
}

// perWay calls set with the values in a text such as "5%" or "c2s=10%,s2c=1%".
func perWay(text string, set func(w way, value string) error) error {
	for part := range strings.SplitSeq(text, ",") {
		dir, value, single := strings.Cut(part, "=")
		if !single {
			value = part
		}
		found := false
		for _, w := range []way{toServer, toClient} {
			if single && dir != string(w.dir()) {
				continue
			}
			found = true
			if err := set(w, value); err != nil {
				return err
			}
		}
		if !found {
			return fmt.Errorf("%q is neither c2s nor s2c", dir)
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
