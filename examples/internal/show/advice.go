package show

import (
	"errors"
	"fmt"

	"github.com/bcwire/bcwire/examples/capture"
)

// Advise returns the error of an input with what people can do about a capture without datagrams of the game, given the
// value of the flag -plain.
func Advise(err error, plain bool) error {
	do := "use -plain"
	if plain {
		do = "leave out -plain"
	}
	switch {
	case errors.Is(err, capture.ErrCipher) && plain:
		return fmt.Errorf("%w; the datagrams are enciphered: %s", err, do)
	case errors.Is(err, capture.ErrCipher):
		return fmt.Errorf("%w; the datagrams are not enciphered: %s", err, do)
	case errors.Is(err, capture.ErrNotGame) && plain:
		return fmt.Errorf("%w; is this a capture of a match? If its datagrams are enciphered, %s", err, do)
	case errors.Is(err, capture.ErrNotGame):
		return fmt.Errorf("%w; is this a capture of a match? If its datagrams are deciphered already, %s", err, do)
	}
	return err
}
