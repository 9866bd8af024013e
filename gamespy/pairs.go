package gamespy

import "slices"

// Pair is a key and its value. Neither can have a backslash in it.
type Pair struct{ Key, Value Text }

// Pairs are the pairs of a message in wire order. A key may occur several times.
type Pairs []Pair

// Get returns the value of the first pair with the key, in any case of its letters.
func (p Pairs) Get(key string) (value Text, ok bool) {
	i := slices.IndexFunc(p, func(pair Pair) bool { return pair.Key.is(key) })
	if i < 0 {
		return "", false
	}
	return p[i].Value, true
}

// offset returns where in a text the value of the first pair with the key is, or its end.
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
