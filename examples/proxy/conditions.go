package main

import (
	"flag"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/bcwire/bcwire/examples/internal/relay"
)

// networkFlags defines the flags of the bad network.
func (o *options) networkFlags(fs *flag.FlagSet) {
	for d := range o.Conditions {
		o.Conditions[d].Hold = 100 * time.Millisecond
	}
	chances := func(name, usage string, field func(*relay.Conditions) *float64) {
		fs.Func(name, usage, func(text string) error {
			return perDirection(text, func(d relay.Direction, value string) (err error) {
				*field(&o.Conditions[d]), err = parseChance(value)
				return err
			})
		})
	}
	times := func(name, usage string, field func(*relay.Conditions) *time.Duration) {
		fs.Func(name, usage, func(text string) error {
			return perDirection(text, func(d relay.Direction, value string) (err error) {
				*field(&o.Conditions[d]), err = parseDelay(value)
				return err
			})
		})
	}
	chances("drop", "drop a `share` of the datagrams, such as 5%", func(c *relay.Conditions) *float64 { return &c.Drop })
	chances("duplicate", "send a `share` of the datagrams twice, such as 1%", func(c *relay.Conditions) *float64 { return &c.Duplicate })
	chances("reorder", "hold back a `share` of the datagrams for the time of -hold, such as 2%", func(c *relay.Conditions) *float64 { return &c.Reorder })
	times("delay", "delay datagrams by a `time`, such as 50ms", func(c *relay.Conditions) *time.Duration { return &c.Delay })
	times("jitter", "make the delay shorter or longer by up to this `time`", func(c *relay.Conditions) *time.Duration { return &c.Jitter })
	times("hold", "the `time` for which -reorder holds datagrams back (default 100ms)", func(c *relay.Conditions) *time.Duration { return &c.Hold })
}

// perDirection calls set for each direction and value in a text such as "5%" or "c2s=10%,s2c=1%".
func perDirection(text string, set func(d relay.Direction, value string) error) error {
	for part := range strings.SplitSeq(text, ",") {
		name, value, one := strings.Cut(part, "=")
		if !one {
			value = part
		}
		found := false
		for _, d := range []relay.Direction{relay.ToServer, relay.ToClient} {
			if one && name != string(d.Recorded()) {
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
	if err != nil {
		return 0, fmt.Errorf("%q is not a share, such as 5%%", text)
	}
	if math.IsNaN(percent) || percent < 0 || percent > 100 {
		return 0, fmt.Errorf("%q is not between 0%% and 100%%", text)
	}
	return percent / 100, nil
}

func parseDelay(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err == nil && (d < 0 || d > relay.MaxDelay) {
		err = fmt.Errorf("%q is not between 0s and %v", text, relay.MaxDelay)
	}
	return d, err
}
