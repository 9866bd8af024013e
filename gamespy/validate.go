package gamespy

import (
	"encoding/base64"
	"fmt"
)

// MaxChallenge is the length of the longest challenge that is answered, as in the game.
// Masters send six bytes.
//
// Evidence: documented (B): the engine's code, FUN_006ac950.
const MaxChallenge = 128

// Validate returns the answer to a challenge, in enctype 0, the one that the game has:
// each byte of the challenge enciphered, zeros up to a multiple of three, and base64
// without padding. The game's key is [SecretKey]; only its first 256 bytes count.
//
// The cipher is RC4 with one difference: the first index advances by the byte to be
// enciphered, too. It proves nothing, for the key is public.
//
// It fails with [ErrKey] for an empty key, which stands for the game's elsewhere in this
// package but not here, and with [ErrChallenge] for a challenge that is
// empty or longer than [MaxChallenge].
//
// Evidence: observed for LRPOPQ; two implementations agree on others.
func Validate(key, challenge string) (string, error) {
	switch {
	case len(key) == 0:
		return "", ErrKey
	case len(challenge) == 0 || len(challenge) > MaxChallenge:
		return "", fmt.Errorf("%w: %d bytes, not 1 to %d", ErrChallenge, len(challenge), MaxChallenge)
	}
	s := schedule(key)
	out := make([]byte, (len(challenge)+2)/3*3)
	var a, b byte
	for i := range len(challenge) {
		a += challenge[i] + 1
		b += s[a]
		s[a], s[b] = s[b], s[a]
		out[i] = challenge[i] ^ s[s[a]+s[b]]
	}
	return base64.StdEncoding.EncodeToString(out), nil
}

// schedule is that of RC4.
func schedule(key string) (s [256]byte) {
	for i := range s {
		s[i] = byte(i)
	}
	var j byte
	for i := range s {
		j += s[i] + key[i%len(key)]
		s[i], s[j] = s[j], s[i]
	}
	return s
}

// Verify checks the answer to a challenge: the value of validate in a reply of a server,
// or in the login of a client. It returns nil if it is right, [ErrValidate] if not or if
// there is none, [ErrEnctype] if the peer says that it used another encryption, and what
// [Validate] returns.
func (p Pairs) Verify(key, challenge string) error {
	want, err := Validate(key, challenge)
	if err != nil {
		return err
	}
	if err := p.enctype(); err != nil {
		return err
	}
	if got, _ := p.Get("validate"); string(got) != want {
		return ErrValidate
	}
	return nil
}

// enctype refuses another encryption than that of the game. Most peers do not tell.
func (p Pairs) enctype() error {
	if v, ok := p.Get("enctype"); ok && v != "" && v != "0" {
		return ErrEnctype
	}
	return nil
}

// NewChallenge returns one of the challenges that masters send, six letters, chosen by a
// random number.
func NewChallenge(random uint32) string {
	var c [6]byte
	for i := range c {
		c[i] = 'A' + byte(random%26)
		random /= 26
	}
	return string(c[:])
}
