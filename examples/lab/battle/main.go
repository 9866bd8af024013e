// Battle records the match in testdata/battle.jsonl: four bots play on the example server for 80 s.
// They fly, fire, talk, collide and die, and one leaves and joins again.
//
//	go run ./examples/lab/battle -o testdata/battle.jsonl
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/examples/bot/player"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/transport/udp"
)

func main() {
	out := flag.String("o", "testdata/battle.jsonl", "the `FILE` to write")
	length := flag.Duration("length", 80*time.Second, "length of the match")
	flag.Parse()
	if err := record(*out, *length); err != nil {
		log.Fatal(err)
	}
}

// record starts the server, lets the bots play, and stops the server.
func record(out string, length time.Duration) error {
	dir, err := os.MkdirTemp("", "battle")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "server.exe")
	if text, err := exec.Command("go", "build", "-o", program, "./examples/server").CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, text)
	}
	server := exec.Command(program, "-addr", "127.0.0.1:0", "-record", out, "-name", "bcwire battle")
	console, err := server.StdinPipe()
	if err != nil {
		return err
	}
	logs, err := server.StderrPipe()
	if err != nil {
		return err
	}
	if err := server.Start(); err != nil {
		return err
	}
	addr, err := address(logs)
	if err == nil {
		ctx, cancel := context.WithTimeout(context.Background(), length)
		err = play(ctx, addr, length)
		cancel()
	}
	_, quitErr := io.WriteString(console, "quit\n")
	return errors.Join(err, quitErr, server.Wait())
}

// address returns the address in the log of the server, and discards the rest of the log.
func address(logs io.Reader) (string, error) {
	in := bufio.NewScanner(logs)
	for in.Scan() {
		if _, rest, ok := strings.Cut(in.Text(), "msg=listening addr="); ok {
			addr, _, _ := strings.Cut(rest, " ")
			go func() { _, _ = io.Copy(io.Discard, logs) }()
			return addr, nil
		}
	}
	return "", errors.Join(errors.New("the server does not listen"), in.Err())
}

// script is the part of one bot. Times are parts of the length of the match.
type script struct {
	name         string
	class        string
	seed         uint64
	fire         bool
	join         float64            // when it joins
	leave        float64            // when it leaves
	lines        map[float64]string // what it says
	crash        []float64          // when it collides with the nearest ship, so hard that it dies
	bump         []float64          // when it collides with the nearest ship, and is damaged
	selfDestruct []float64
}

var scripts = []script{
	{
		name: "Ann", class: "sovereign", seed: 1, fire: true, leave: 1,
		lines: map[float64]string{0.12: "hello", 0.5: "that was close", 0.97: "good fight"},
		bump:  []float64{0.2, 0.3, 0.4, 0.6}, crash: []float64{0.35, 0.7},
	},
	{
		name: "Ben", class: "warbird", seed: 2, fire: true, join: 0.02, leave: 1,
		lines: map[float64]string{0.15: "hi Ann", 0.75: "Qapla'!"},
		bump:  []float64{0.25, 0.5}, crash: []float64{0.36, 0.52, 0.71},
	},
	{
		name: "Cid", class: "birdofprey", seed: 3, fire: true, join: 0.04, leave: 0.45,
		lines: map[float64]string{0.2: "today is a good day to die", 0.43: "back in a minute"},
		crash: []float64{0.22},
	},
	{
		name: "Cid", class: "vorcha", seed: 5, fire: true, join: 0.6, leave: 1,
		lines: map[float64]string{0.65: "re"}, bump: []float64{0.8}, crash: []float64{0.7},
	},
	{
		name: "Dee", class: "galor", seed: 4, fire: true, join: 0.06, leave: 0.9,
		lines: map[float64]string{0.3: "shields at 50%", 0.88: "bye"},
		bump:  []float64{0.33, 0.66}, crash: []float64{0.25, 0.72}, selfDestruct: []float64{0.55},
	},
}

// play runs all scripts until the end of the match.
func play(ctx context.Context, addr string, length time.Duration) error {
	vanilla := checksum.Vanilla()
	var (
		wg   sync.WaitGroup
		mu   sync.Mutex
		errs []error
	)
	for _, s := range scripts {
		wg.Go(func() {
			a := &actor{script: s, length: length, start: time.Now(), files: vanilla}
			if err := a.run(ctx, addr); err != nil && !errors.Is(err, player.ErrLeft) {
				mu.Lock()
				errs = append(errs, fmt.Errorf("%s: %w", s.name, err))
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// actor plays a script.
type actor struct {
	script
	length time.Duration
	start  time.Time
	files  *checksum.Manifest
	done   map[float64]bool // what is done, by its time
}

func (a *actor) at(part float64) time.Time {
	return a.start.Add(time.Duration(part * float64(a.length)))
}

// run joins, plays and leaves.
func (a *actor) run(ctx context.Context, addr string) error {
	time.Sleep(time.Until(a.at(a.join)))
	a.done = map[float64]bool{}
	o := player.Options{Name: a.name, Files: a.files, Ship: stateupdate.Stock().Named(a.class), Fire: a.fire, Seed: a.seed}
	client, err := udp.Join(ctx, addr, o.Join(nil))
	if err != nil {
		return err
	}
	defer client.Close()
	p := player.New(time.Now(), o)
	p.Enter(time.Now(), client)
	leave := a.at(a.leave).Add(-500 * time.Millisecond)
	for p.Err() == nil {
		wait, cancel := context.WithDeadline(ctx, time.Now().Add(20*time.Millisecond))
		e, err := client.Receive(wait)
		cancel()
		switch {
		case !time.Now().Before(leave):
			p.Leave()
		case err == nil:
			p.Handle(time.Now(), e)
		case !errors.Is(err, context.DeadlineExceeded):
			return err
		}
		p.Tick(time.Now())
		if p.State() == player.InGame {
			a.act(p)
		}
	}
	return p.Err()
}

// act does what the script has for this moment. Every time in a script is unique.
func (a *actor) act(p *player.Player) {
	due := func(part float64) bool {
		if a.done[part] || time.Now().Before(a.at(part)) {
			return false
		}
		a.done[part] = true
		return true
	}
	for part, line := range a.lines {
		if due(part) {
			_ = p.Say(line)
		}
	}
	for _, part := range a.bump {
		if due(part) {
			_ = collide(p, nearest(p), 0.2)
		}
	}
	for _, part := range a.crash {
		// The server credits the other player with the kill if the ships are near.
		if other := nearest(p); other != nil && distance(p.Ship(), other) < contact && due(part) {
			_ = collide(p, other, 1)
		}
	}
	for _, part := range a.selfDestruct {
		if due(part) {
			_ = p.Send(&opcode.HostMessage{})
		}
	}
}

// contact is a distance at which the server believes in a collision.
const contact = 98

// nearest returns the nearest ship of another player, or nil.
func nearest(p *player.Player) (ship *stateupdate.Ship) {
	for _, other := range p.Ships() {
		if ship == nil || distance(p.Ship(), other) < distance(p.Ship(), ship) {
			ship = other
		}
	}
	return ship
}

func distance(a, b *stateupdate.Ship) float64 {
	var square float64
	for i := range a.Position {
		d := float64(a.Position[i] - b.Position[i])
		square += d * d
	}
	return math.Sqrt(square)
}

// collide tells the host that the player's ship has hit another one, with a force that costs a
// part of the hull.
func collide(p *player.Player, other *stateupdate.Ship, part float32) error {
	hull := p.Ship().FirstOf(stateupdate.KindHull)
	if other == nil || hull == nil {
		return nil
	}
	contacts := []compress.Contact{compress.EncodeContact(0, 1, 0, 1)}
	effect, err := opcode.NewCollisionEffect(p.Ship().ID, other.ID, contacts, part*hull.Subsystem.MaxCondition)
	if err != nil {
		return err
	}
	return p.Send(effect)
}
