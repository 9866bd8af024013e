package gamespy

import (
	"encoding/base64"
	"fmt"
)

// maxChallenge is the maximum length of a challenge that the game answers, in bytes.
// Masters send 6. Evidence: documented (B), FUN_006ac950.
const maxChallenge = 128

// Validate returns the answer to a challenge with enctype 0, which the game uses with [SecretKey].
// It enciphers the challenge, pads the result with zeros to a multiple of three bytes, and encodes
// it in base64 without padding. Only the first 256 bytes of a key are used. The cipher is RC4,
// except that the plaintext byte is added to the first index.
//
// The error wraps [ErrChallenge] if the key is empty or the challenge does not have 1 to 128 bytes.
//
// Evidence: observed for "LRPOPQ". Two other implementations agree on other challenges.
func Validate(key, challenge string) (string, error) {
	switch {
	case len(key) == 0:
		return "", fmt.Errorf("%w: the key is empty", ErrChallenge)
	case len(challenge) == 0 || len(challenge) > maxChallenge:
		return "", fmt.Errorf("%w: %d bytes, must be 1 to %d", ErrChallenge, len(challenge), maxChallenge)
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

// schedule is the key schedule of RC4.
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

// verify checks validate in a client's login. It returns an error wrapping [ErrChallenge].
func (p Pairs) verify(challenge string) error {
	want, err := Validate(SecretKey, challenge)
	if err != nil {
		return err
	}
	if err := p.enctype(); err != nil {
		return err
	}
	if got, _ := p.Get("validate"); got != want {
		return fmt.Errorf("%w: missing or wrong answer", ErrChallenge)
	}
	return nil
}

// enctype returns an error if the peer uses another encryption. Most peers omit the key.
func (p Pairs) enctype() error {
	if v, _ := p.Get("enctype"); v != "" && v != "0" {
		return fmt.Errorf("%w: enctype %.20q, must be 0 or empty", ErrChallenge, v)
	}
	return nil
}

// newChallenge returns a challenge of six letters, as masters send, from a random number.
func newChallenge(random uint32) string {
	var c [6]byte
	for i := range c {
		c[i] = 'A' + byte(random%26)
		random /= 26
	}
	return string(c[:])
}
