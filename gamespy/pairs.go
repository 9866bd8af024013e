package gamespy

import "slices"

// A Pair is a key and its value. Neither may contain a backslash.
type Pair struct{ Key, Value Text }

// Pairs are the pairs of a message in wire order. Keys may occur more than once.
type Pairs []Pair

// Get returns the value of the first pair with the key, ignoring the case of ASCII letters.
func (p Pairs) Get(key string) (value Text, ok bool) {
	i := slices.IndexFunc(p, func(pair Pair) bool { return pair.Key.is(key) })
	if i < 0 {
		return "", false
	}
	return p[i].Value, true
}

// offset returns the offset of the first value with the key, or the length of the text.
func (p Pairs) offset(key string) (n int) {
	for _, pair := range p {
		n += len(`\\`) + len(pair.Key)
		if pair.Key.is(key) {
			break
		}
		n += len(pair.Value)
	}
	return n
}
