package udp_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport/udp"
)

// A spectator prints the scores of a match. It joins again when the server has gone away.
func Example_spectator() {
	ctx, stop := context.WithTimeout(context.Background(), 30*time.Second)
	defer stop()
	server := hostTwice(ctx) // usually an address such as "192.0.2.7:22101"

	for range 2 { // matches; usually until the context ends
		err := spectate(ctx, server)
		if errors.Is(err, join.ErrPassword) || errors.Is(err, join.ErrBanned) {
			log.Fatal(err)
		}
		fmt.Println(err)
		time.Sleep(200 * time.Millisecond)
	}
	// Output:
	// Ann: 1 kills, 0 deaths
	// join: in the game: the server has disconnected
	// Ann: 2 kills, 0 deaths
	// join: in the game: the server has disconnected
}

// spectate joins a match and prints the scores that change, until the session ends.
func spectate(ctx context.Context, server string) error {
	player, err := udp.Join(ctx, server, join.Options{Name: "Spectator"})
	if err != nil {
		return err
	}
	defer player.Close()
	shown := ""
	for m, err := range player.Messages(ctx) {
		switch m.(type) {
		case nil:
			return err // the session has ended
		case *opcode.Score, *opcode.ScoreChange, *opcode.RestartGame:
			if board := scores(player.State().Other); board != shown {
				fmt.Print(board)
				shown = board
			}
		}
	}
	return nil
}

func scores(players []join.Player) (board string) {
	for _, p := range players {
		board += fmt.Sprintf("%s: %d kills, %d deaths\n", p.Name, p.Kills, p.Deaths)
	}
	return board
}
