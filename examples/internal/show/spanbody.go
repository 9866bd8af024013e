package show

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// payloadSpans returns the spans of a payload that begins at base.
func payloadSpans(r *record, base int) []span {
	list := make([]span, len(r.parts))
	for i, f := range r.parts {
		x := span{offset: base + f.Offset, raw: f.Raw, label: strings.TrimPrefix(f.Path, subsystems+"."), err: f.Err}
		if f.Err == nil {
			x.value = short(f.Value)
			if i == 0 && f.Path == "Opcode" {
				x.value = r.title()
			}
			if more := detail(f.Value); more != "" {
				x.value += "  " + more
			}
		}
		if f.Bit >= 0 {
			x.value += fmt.Sprintf("  bit %d of 0x%04x", f.Bit, base+f.Offset)
		}
		list[i] = x
	}
	return list
}

// fieldText returns the value of a field of the transport.
func fieldText(f stream.Field) string {
	switch v := f.Value.(type) {
	case [4]byte:
		return netip.AddrFrom4(v).String()
	case objectid.PeerID:
		return strconv.Itoa(int(v))
	case transport.AckFlags:
		return ackText(v)
	case transport.UTF16Z:
		return short(v)
	case []byte:
		if f.Path == "Fragment" {
			return fmt.Sprintf("%d bytes", len(v))
		}
		return ""
	}
	return fmt.Sprint(f.Value)
}

func ackText(f transport.AckFlags) string {
	text := "of the game channel"
	if f&transport.AckSystem != 0 {
		text = "of the system channel"
	}
	if f&transport.AckFragment != 0 {
		text += ", a fragment"
	}
	return text
}
