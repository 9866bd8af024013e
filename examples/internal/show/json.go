package show

import (
	"encoding/hex"
	"encoding/json"
	"io"

	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// jsonOutput prints one object per message.
type jsonOutput struct{ enc *json.Encoder }

// NewJSON returns an output that prints one JSON object per message. It escapes invisible
// characters.
func NewJSON(w io.Writer) Output {
	enc := json.NewEncoder(terminal.JSON(w))
	enc.SetEscapeHTML(false)
	return &jsonOutput{enc}
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
	for _, r := range p.records {
		if err := o.enc.Encode(p.json(r)); err != nil {
			return err
		}
	}
	return nil
}

func (o *jsonOutput) Finish(int) error { return nil }
func (o *jsonOutput) Failed() bool     { return false }

func (p *Packet) json(r *record) *recordJSON {
	j := &recordJSON{
		Packet:   p.Number,
		Time:     p.Time,
		Dir:      p.Dir,
		Index:    r.index,
		Type:     r.typ,
		Reliable: r.msg.Reliable,
		Seq:      r.msg.Seq,
		Fragment: r.fragment(),
		Name:     r.name,
		Fields:   r.fields(),
		Hex:      hex.EncodeToString(r.content()),
		Note:     r.noteText(),
	}
	if !p.gamespy && len(p.Data) > 0 {
		j.Peer = &p.peer
	}
	if r.hasCode {
		j.Opcode = hexCode(r.code)
	}
	if r.err != nil {
		j.Error = r.err.Error()
	}
	return j
}

// content returns the payload if it is complete, else the message.
func (r *record) content() []byte {
	if r.whole {
		return r.payload
	}
	return r.raw
}

// fragment returns the index of a fragment, or of the fragment that an Ack acknowledges.
func (r *record) fragment() *fragmentJSON {
	if r.msg.Fragment {
		return &fragmentJSON{r.msg.FragIndex, r.msg.FragTotal}
	}
	if ack, ok := r.body.(transport.Ack); ok && ack.Flags&transport.AckFragment != 0 {
		return &fragmentJSON{Index: ack.FragIndex}
	}
	return nil
}
