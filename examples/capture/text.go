package capture

import (
	"bufio"
	"errors"
	"iter"
	"strconv"

	"github.com/bcwire/bcwire/transport/recording"
)

// text iterates over the datagrams of JSON lines or hex text. The next iteration overwrites them.
func (in *Reader) text(r *bufio.Reader) iter.Seq2[*Datagram, error] {
	return func(yield func(*Datagram, error) bool) {
		var dg Datagram
		names := clientNames{}
		for d, err := range recording.Read(r) {
			if !errors.Is(err, recording.ErrTooLong) {
				in.numbers++
			}
			if err != nil {
				if !yield(nil, err) {
					return
				}
				continue
			}
			dg = Datagram{Number: in.numbers, Time: d.Seconds, Dir: d.Direction, Client: names.of(d.Client), Data: d.Data}
			if !yield(&dg, nil) {
				return
			}
		}
	}
}

// clientNames holds the names of clients, so that a name needs no memory for each datagram.
type clientNames map[int64]string

// maxNames is the number of clients whose names are kept.
const maxNames = 256

func (c clientNames) of(client int64) string {
	if client == recording.NoClient {
		return ""
	}
	name, ok := c[client]
	if !ok {
		if len(c) >= maxNames {
			clear(c)
		}
		name = strconv.FormatInt(client, 10)
		c[client] = name
	}
	return name
}
