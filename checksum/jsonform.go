package checksum

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
)

// The JSON form, with the keys in their order.
type (
	manifestJSON struct {
		Schema      string      `json:"schema"`
		Name        string      `json:"name"`
		GameVersion string      `json:"game_version"`
		RefHash     *hashJSON   `json:"ref_hash"`
		Note        string      `json:"note,omitempty"`
		Rounds      []roundJSON `json:"rounds"`
	}
	roundJSON struct {
		Index     uint8     `json:"index"`
		Dir       string    `json:"dir"`
		Filter    string    `json:"filter"`
		Recursive bool      `json:"recursive"`
		DirHash   *hashJSON `json:"dir_hash"`
		Tree      *treeJSON `json:"tree,omitempty"`
	}
	treeJSON struct {
		Files []fileJSON `json:"files"`
		Dirs  []dirJSON  `json:"dirs"`
	}
	fileJSON struct {
		Name        string     `json:"name,omitempty"`
		NameHash    *hashJSON  `json:"name_hash"`
		ContentHash []hashJSON `json:"content_hash"`
		Verified    *bool      `json:"verified"`
	}
	dirJSON struct {
		Name     string    `json:"name,omitempty"`
		NameHash *hashJSON `json:"name_hash"`
		treeJSON
	}
)

// hashJSON is encoded as "0x7E0CE243".
type hashJSON opcode.Hash

func (h hashJSON) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "0x%08X", uint32(h)), nil }

func (h *hashJSON) UnmarshalText(text []byte) error {
	digits, ok := strings.CutPrefix(strings.ToLower(string(text)), "0x")
	v, err := strconv.ParseUint(digits, 16, 32)
	if !ok || err != nil {
		return fmt.Errorf("hash %.20q must be 0x and up to eight hexadecimal digits", text)
	}
	*h = hashJSON(v)
	return nil
}

// fill returns the hash, or the hash of the text if h is nil.
func (h *hashJSON) fill(s string) (opcode.Hash, error) {
	if h != nil {
		return opcode.Hash(*h), nil
	}
	t, err := stream.NewText(s)
	if err == nil && s == "" {
		err = fmt.Errorf("name and name_hash are missing")
	}
	return TextHash(t), err
}
