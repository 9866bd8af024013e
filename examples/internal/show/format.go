package show

import (
	"encoding/hex"
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// maxShortBytes is the number of raw bytes in a short value.
const maxShortBytes = 12

// short returns a value as short text.
func short(v any) string {
	switch v := v.(type) {
	case nil:
		return "-"
	case bool:
		return strconv.FormatBool(v)
	case float32:
		return shortFloat(v)
	case objectid.PeerID:
		return strconv.Itoa(int(v))
	case partID:
		return printable(v.String())
	case netip.Addr, objectid.ID, opcode.Hash, opcode.Hash16, stateupdate.Levels:
		return fmt.Sprint(v)
	case []byte:
		return shortBytes(v)
	case stream.Text:
		return terminal.Quote(strings.TrimRight(v.String(), "\x00"))
	case stream.UTF16:
		return terminal.Quote(v.String())
	case transport.UTF16Z:
		return terminal.Quote(v.String())
	case *object:
		return "{" + summary(v) + "}"
	case *list:
		return fmt.Sprintf("[%d]", max(len(v.items), v.count))
	}
	if _, _, ok := compressedNumber(v); ok {
		return fmt.Sprint(v)
	}
	return shortOther(jsonOther(v))
}

func shortBytes(b []byte) string {
	if len(b) <= maxShortBytes {
		return hex.EncodeToString(b)
	}
	return fmt.Sprintf("%x...(%d bytes)", b[:maxShortBytes], len(b))
}

// shortList returns numbers with five digits.
func shortList(numbers []any) string {
	texts := make([]string, len(numbers))
	for i, n := range numbers {
		texts[i] = digits(n)
	}
	return "(" + strings.Join(texts, " ") + ")"
}

func digits(v any) string {
	if f, ok := v.(float64); ok {
		return strconv.FormatFloat(f, 'g', 5, 64)
	}
	return fmt.Sprint(v)
}

func shortOther(v any) string {
	switch v := v.(type) {
	case enumJSON:
		return printable(v.Name)
	case []any:
		return shortList(v)
	case textJSON:
		return terminal.Quote(v.Text)
	case string:
		return terminal.Quote(v)
	}
	return fmt.Sprint(v)
}

// detail returns the details that short omits, for -v and -x: raw codes, slots, and the numbers
// of enumerations.
func detail(v any) string {
	if p, ok := v.(partID); ok {
		v = p.ID
	}
	if id, ok := v.(objectid.ID); ok {
		if slot, ok := id.Slot(); ok {
			return fmt.Sprintf("slot %d", slot)
		}
		return ""
	}
	if raw, _, ok := compressedNumber(v); ok {
		return strings.NewReplacer("[", "", "]", "").Replace("raw " + fmt.Sprint(raw))
	}
	if enum, ok := v.(fmt.Stringer); ok {
		return number(enum)
	}
	return ""
}

// number returns the number of an enumeration, or "" if its name is the number.
func number(v fmt.Stringer) string {
	raw := jsonValue(v)
	switch n := raw.(type) {
	case enumJSON:
		if raw = n.Raw; fmt.Sprint(raw) == n.Name || strings.HasPrefix(n.Name, "0x") {
			return ""
		}
	case uint8, int:
	default:
		return ""
	}
	if hex := fmt.Sprintf("0x%08x", raw); hex > "0x000000ff" {
		return hex
	}
	return fmt.Sprintf("%d, 0x%02x", raw, raw)
}

// printable quotes text with invisible characters, of which a terminal would execute some.
func printable(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return !terminal.Visible(r) }) < 0 {
		return s
	}
	return terminal.Quote(s)
}

// clip truncates a text to n characters.
func clip(s string, n int) string {
	runes := []rune(s)
	if len(runes) <= n {
		return s
	}
	return string(runes[:n-1]) + "…"
}

// gamespyText returns the GameSpy text of a message. Like all texts of the game, it is in
// Windows-1252.
func gamespyText(r *Message) string { return printable(stream.Text(r.Raw).String()) }
