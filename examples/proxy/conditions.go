package main

import (
	"flag"
	"fmt"
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
	add := func(name, usage string, set func(c *relay.Conditions, value string) error) {
		fs.Func(name, usage, func(text string) error {
			return perDirection(text, func(d relay.Direction, value string) error { return set(&o.Conditions[d], value) })
		})
	}
	add("drop", "drop a `share` of the datagrams, such as 5%", func(c *relay.Conditions, v string) error { return parseChance(v, &c.Drop) })
	add("duplicate", "send a `share` of the datagrams twice, such as 1%", func(c *relay.Conditions, v string) error { return parseChance(v, &c.Duplicate) })
	add("reorder", "hold back a `share` of the datagrams for the time of -hold, such as 2%", func(c *relay.Conditions, v string) error { return parseChance(v, &c.Reorder) })
	add("delay", "delay datagrams by a `time`, such as 50ms", func(c *relay.Conditions, v string) error { return parseDelay(v, &c.Delay) })
	add("jitter", "make the delay shorter or longer by up to this `time`", func(c *relay.Conditions, v string) error { return parseDelay(v, &c.Jitter) })
	add("hold", "the `time` for which -reorder holds datagrams back (default 100ms)", func(c *relay.Conditions, v string) error { return parseDelay(v, &c.Hold) })
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
func parseChance(text string, chance *float64) error {
	percent, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
	switch {
	case err != nil:
		return fmt.Errorf("%q is not a share, such as 5%%", text)
	case !(percent >= 0 && percent <= 100):
		return fmt.Errorf("%q is not between 0%% and 100%%", text)
	}
	*chance = percent / 100
	return nil
}

func parseDelay(text string, delay *time.Duration) (err error) {
	*delay, err = time.ParseDuration(text)
	if err == nil && (*delay < 0 || *delay > relay.MaxDelay) {
		err = fmt.Errorf("%q is not between 0s and %v", text, relay.MaxDelay)
	}
	return err
}
