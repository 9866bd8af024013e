package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/examples/lab/sim/simulation"
)

// Exit statuses.
const (
	exitViolation = 1
	exitUsage     = 2
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// options are the flags.
type options struct {
	plan     simulation.Plan
	seeds    uint64
	record   string
	minimize bool
	time     time.Duration
	verbose  bool
	meaning  bool
	rare     bool
}

const usage = "Usage: sim [flags]\n\nSim plays matches in virtual time, with faults, and checks everything.\n\n"

// parseOptions reads the flags. It prints the error that it returns.
func parseOptions(args []string, stderr io.Writer) (*options, error) {
	o := &options{}
	fs := flag.NewFlagSet("sim", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.Uint64Var(&o.plan.Seed, "seed", 1, "the first `SEED`")
	fs.Uint64Var(&o.seeds, "seeds", 1, "play so many matches, with this seed and the next ones")
	fs.IntVar(&o.plan.Players, "players", 0, fmt.Sprintf("number of players, at most %d; without it, the seed draws the number", simulation.MaxPlayers))
	minutes := fs.Float64("minutes", 0, "`MINUTES` with faults, without the calm after them; without it, the seed draws the time")
	without := fs.String("without", "", "leave out these faults, a `LIST` with commas as -minimize prints it")
	fs.StringVar(&o.record, "record", "", "write the datagrams of each match to SEED.jsonl in `DIR`")
	fs.BoolVar(&o.minimize, "minimize", false, "after a violation, look for a smaller match with a violation")
	fs.DurationVar(&o.time, "time", 0, "begin no match after this time")
	fs.BoolFunc("v", "print the faults and the speed", func(string) error { o.verbose = true; return nil })
	fs.BoolVar(&o.meaning, "meaning", false, "print what matches have seen, and what none has")
	fs.BoolVar(&o.rare, "rare", false, "of each eight seeds, play the one whose faults have led to what few matches have seen")
	fs.Usage = func() {
		fmt.Fprint(stderr, usage)
		fs.PrintDefaults()
	}
	if err := terminal.ParseFlags(fs, args); err != nil {
		return nil, err
	}
	err := o.check(*minutes, *without, fs.Args())
	if err != nil {
		terminal.Complain(stderr, "sim", err)
	}
	return o, err
}

func (o *options) check(minutes float64, without string, rest []string) (err error) {
	if o.plan.Without, err = simulation.ParseFaults(without); err != nil {
		return fmt.Errorf("-without: %w", err)
	}
	o.plan.Length = time.Duration(minutes * float64(time.Minute))
	switch {
	case len(rest) > 0:
		return fmt.Errorf("%q: unexpected argument; -h lists the flags", rest[0])
	case o.plan.Players < 0 || o.plan.Players > simulation.MaxPlayers:
		return fmt.Errorf("-players %d: not 1 to %d", o.plan.Players, simulation.MaxPlayers)
	case !(minutes >= 0 && minutes <= simulation.MaxLength.Minutes()):
		return fmt.Errorf("-minutes %v: not 0 to %v", minutes, simulation.MaxLength.Minutes())
	}
	return nil
}

// run is the program. It returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	o, err := parseOptions(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return exitUsage
	}
	status, began, hours := 0, time.Now(), 0.0
	meaning := simulation.NewMeaning()
	for i := uint64(0); i < o.seeds && (o.time == 0 || time.Since(began) < o.time); i++ {
		p := o.plan
		if p.Seed += i; o.rare {
			p.Seed += 7 * i
			p.Seed = meaning.Rarest(p, 8)
		}
		r, err := o.play(p)
		if err != nil {
			terminal.Complain(stderr, "sim", err)
			return exitViolation
		}
		hours += r.Seconds / 3600
		meaning.Add(&r)
		fmt.Fprintln(stdout, r.String())
		if o.verbose {
			fmt.Fprintf(stdout, "  %d players, %v with faults, well after %v: %v\n", r.Plan.Players, r.Plan.Length, r.Slowest, r.Plan.Faults())
		}
		if r.Violation == nil {
			continue
		}
		status = exitViolation
		if o.minimize {
			small := simulation.Minimize(r)
			fmt.Fprintln(stdout, "smaller:", small.String())
			fmt.Fprintln(stdout, "repeat it with: sim", small.Plan.Flags())
		}
	}
	if o.meaning {
		meaning.Write(stdout)
	}
	if o.verbose {
		fmt.Fprintf(stdout, "%.2f hours of matches, %.0f in an hour\n", hours, hours/time.Since(began).Hours())
	}
	return status
}

// play plays a match, and records it if a flag says so.
func (o *options) play(p simulation.Plan) (simulation.Result, error) {
	if o.record == "" {
		return simulation.Run(p, nil), nil
	}
	f, err := os.Create(filepath.Join(o.record, strconv.FormatUint(p.Seed, 10)+".jsonl"))
	if err != nil {
		return simulation.Result{}, err
	}
	r := simulation.Run(p, f)
	return r, f.Close()
}
