package show

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"io"

	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// jsonOutput prints one object per message.
type jsonOutput struct{ enc *json.Encoder }

// NewJSON returns an output that prints one JSON object per message. It escapes invisible
// characters.
func NewJSON(w io.Writer) Output { return &jsonOutput{newEncoder(w)} }

func newEncoder(w io.Writer) *json.Encoder {
	enc := json.NewEncoder(terminal.JSON(w))
	enc.SetEscapeHTML(false)
	return enc
}

// recordJSON is the object of a message. Its keys and their order are a contract.
type recordJSON struct {
	Packet   int                 `json:"packet"`
	Time     float64             `json:"time"`
	Dir      recording.Direction `json:"dir"`
	Peer     *objectid.PeerID    `json:"peer"` // null for GameSpy text
	Index    int                 `json:"index"`
	Type     string              `json:"type"` // empty if the message is missing
	Reliable bool                `json:"reliable"`
	Seq      uint16              `json:"seq"`
	Fragment *fragmentJSON       `json:"fragment"`
	Opcode   string              `json:"opcode"`
	Name     string              `json:"name"`
	Fields   *object             `json:"fields"`
	Hex      string              `json:"hex"`
	Note     string              `json:"note"`
	Error    string              `json:"error"`
}

// fragmentJSON is the index of a fragment. Total is 0 if it is not on the wire.
type fragmentJSON struct {
	Index uint8 `json:"index"`
	Total uint8 `json:"total"`
}

func (o *jsonOutput) Packet(p *Packet) error {
	for _, r := range p.Messages {
		if err := o.enc.Encode(p.object(r)); err != nil {
			return err
		}
	}
	return nil
}

func (o *jsonOutput) Finish(int) error { return nil }
func (o *jsonOutput) Failed() bool     { return false }

// JSON returns the object of a message as [NewJSON] prints it, without the line feed.
func (p *Packet) JSON(r *Message) ([]byte, error) {
	var b bytes.Buffer
	if err := newEncoder(&b).Encode(p.object(r)); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// Fields returns the fields of the message as a JSON object.
func (r *Message) Fields() ([]byte, error) { return r.fields().MarshalJSON() }

// Opcode returns the opcode of the payload and reports whether there is one.
func (r *Message) Opcode() (opcode.Code, bool) { return r.code, r.hasCode }

func (p *Packet) object(r *Message) *recordJSON {
	j := &recordJSON{
		Packet:   p.Number,
		Time:     p.Time,
		Dir:      p.Dir,
		Index:    r.Index,
		Type:     r.Type,
		Reliable: r.Frame.Reliable,
		Seq:      r.Frame.Seq,
		Fragment: r.fragment(),
		Name:     r.Name,
		Fields:   r.fields(),
		Hex:      hex.EncodeToString(r.Content()),
		Note:     r.Note(),
	}
	if p.HasPeer() {
		j.Peer = &p.Peer
	}
	if r.hasCode {
		j.Opcode = hexCode(r.code)
	}
	if r.Err != nil {
		j.Error = r.Err.Error()
	}
	return j
}

// HasPeer reports whether the datagram has a peer ID. GameSpy text has none.
func (p *Packet) HasPeer() bool { return !p.gamespy && len(p.Data) > 0 }

// Content returns the payload if it is complete, else the message.
func (r *Message) Content() []byte {
	if r.Whole {
		return r.Payload
	}
	return r.Raw
}

// fragment returns the index of a fragment, or of the fragment that an Ack acknowledges.
func (r *Message) fragment() *fragmentJSON {
	if r.Frame.Fragment {
		return &fragmentJSON{r.Frame.FragIndex, r.Frame.FragTotal}
	}
	if ack, ok := r.Body.(*transport.Ack); ok && ack.Flags&transport.AckFragment != 0 {
		return &fragmentJSON{Index: ack.FragIndex}
	}
	return nil
}
