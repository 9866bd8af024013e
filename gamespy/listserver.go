package gamespy

import (
	"net/netip"
	"slices"
	"strings"
)

// A ListServer is the master's side of a list connection. Send Greeting, pass received
// bytes to Receive until it returns a request, send the list and close.
type ListServer struct {
	Key       string // key of the challenge; "" means SecretKey
	Challenge string // required, 1 to MaxChallenge bytes; see NewChallenge

	received []byte
}

// ListRequest is a client's request for a list.
type ListRequest struct {
	Login    Pairs // pairs of the login, including validate
	GameName Text  // game of the servers
	Form     Text  // "cmp" for the compact form, any other for the text form
}

// Greeting returns the bytes to send after accepting the connection.
func (s *ListServer) Greeting() []byte {
	return []byte(`\basic\\secure\` + s.Challenge)
}

// Receive takes bytes from the client. It returns nil, nil until the login and the request are
// complete. The error is [ErrNotText] or an error of [Pairs.Verify], or wraps [ErrLimit].
func (s *ListServer) Receive(b []byte) (*ListRequest, error) {
	if size := len(s.received) + len(b); size > maxLogin {
		return nil, alone("client's request", maxLogin, tooMany(ErrLimit, size, "bytes", maxLogin))
	}
	s.received = append(s.received, b...)
	switch {
	case len(s.received) == 0:
		return nil, nil
	case !IsGameSpy(s.received):
		return nil, ErrNotText
	}
	login, rest, ok := cutFinal(parseStream(string(s.received[1:])))
	if !ok {
		return nil, nil
	}
	if err := login.Verify(orKey(s.Key), s.Challenge); err != nil {
		return nil, err
	}
	list, _, ok := cutFinal(rest)
	if !ok {
		return nil, nil
	}
	r := &ListRequest{Login: login}
	r.GameName, _ = list.Get("gamename")
	r.Form, _ = list.Get("list")
	return r, nil
}

// parseStream returns the pairs of consecutive messages, up to the last complete key. A
// message may end with a backslash, which looks like an empty key.
func parseStream(rest string) (pairs Pairs) {
	for {
		key, after, ok := strings.Cut(rest, `\`)
		if !ok {
			return pairs
		}
		rest = after
		if key != "" {
			value, after, _ := strings.Cut(rest, `\`)
			pairs = append(pairs, Pair{Text(key), Text(value)})
			rest = after
		}
	}
}

// cutFinal returns the pairs before and after the first final.
func cutFinal(pairs Pairs) (before, after Pairs, ok bool) {
	i := slices.IndexFunc(pairs, func(p Pair) bool { return p.Key.is("final") })
	if i < 0 {
		return pairs, nil, false
	}
	return pairs[:i:i], pairs[i+1:], true
}

// AppendList appends the list to dst in the requested form. It returns the errors of
// [AppendCompactList] or [AppendTextList].
func (r *ListRequest) AppendList(dst []byte, servers []netip.AddrPort) ([]byte, error) {
	if r.Form.is(formCompact) {
		return AppendCompactList(dst, servers)
	}
	return AppendTextList(dst, servers)
}
