package main

import (
	"fmt"
	"go/types"
	"strings"
)

// fieldTypes are the types of fields in Wireshark for the primitives.
var fieldTypes = map[string]string{
	"Uint8": "uint8", "Int8": "int8", "PeerID": "int32", "PeerID8": "int8", "Slot8": "int8", "Uint16": "uint16", "Int16": "int16", "Uint32": "uint32", "Int32": "int32",
	"Float32": "float", "Bool": "bool", "ObjectID": "uint32", "Float16": "float",
	"Vector3": "bytes", "Vector4": "bytes", "Contact": "bytes", "Float32s": "bytes",
	"String8": "string", "String16": "string", "String32": "string", "WString32": "string",
	"Count8": "uint8", "Count16": "uint16", "Bytes": "bytes", "Slice": "bytes", "Rest": "bytes",
}

// fieldType returns the type of a field in Wireshark that holds all its forms.
func fieldType(l *leaf) (string, error) {
	found := ""
	for _, k := range l.kinds {
		switch t := fieldTypes[k]; {
		case found == "" || found == t:
			found = t
		case isInteger(found) && isInteger(t):
			found = "int32"
			if t == "uint32" {
				found = "int64"
			}
		default:
			return "", fmt.Errorf("a field that is %s and %s", found, t)
		}
	}
	return found, nil
}

func isInteger(t string) bool { return strings.Contains(t, "int") }

// table writes the fields of a message as Lua tables.
type table struct {
	b    *strings.Builder
	done map[*node]string // Lua expressions
	late []string         // statements for what a recursive walk refers to
}

// write writes a node. The filter is that of the message and the members around, and path the
// Lua expression of the node.
func (t *table) write(n *node, filter, name, path, indent string) error {
	t.done[n] = path
	t.b.WriteString("{")
	if n.leaf != nil {
		if err := t.leaf(n.leaf, filter, name); err != nil {
			return fmt.Errorf("%s: %w", filter, err)
		}
	}
	if len(n.order) > 0 {
		t.b.WriteString("members = {\n")
		for _, m := range n.order {
			if err := t.member(n.members[m], filter, m, path+".members["+luaString(m)+"]", indent+"  "); err != nil {
				return err
			}
		}
		t.b.WriteString(indent + "}")
	}
	t.b.WriteString("}")
	return nil
}

func (t *table) member(n *node, filter, name, path, indent string) error {
	if known := t.done[n]; known != "" {
		t.late = append(t.late, path+" = "+known)
		return nil
	}
	switch name {
	case anyName:
	case "":
		filter += ".item"
	default:
		filter += "." + strings.ToLower(name)
	}
	fmt.Fprintf(t.b, "%s[%s] = ", indent, luaString(name))
	if err := t.write(n, filter, name, path, indent); err != nil {
		return err
	}
	t.b.WriteString(",\n")
	return nil
}

// leaf writes the field of Wireshark. If its values have several types, each has a field.
func (t *table) leaf(l *leaf, filter, name string) error {
	typ, err := fieldType(l)
	if err != nil {
		return err
	}
	if name == "" {
		name = "Item"
	}
	kind := l.kinds[0]
	for i, n := range l.types {
		if i > 0 {
			fmt.Fprintf(t.b, "[T.%s] = ", typeName(n))
			t.protoField(filter+"."+strings.ToLower(n.Obj().Name()), name, typ, kind, n)
			t.b.WriteString(", ")
		}
	}
	var first *types.Named
	if len(l.types) > 0 {
		first = l.types[0]
	}
	t.b.WriteString("field = ")
	t.protoField(filter, name, typ, kind, first)
	t.b.WriteString(", ")
	return nil
}

func (t *table) protoField(filter, name, typ, kind string, shown *types.Named) {
	descriptor := "nil"
	if shown != nil {
		descriptor = "T." + typeName(shown)
		switch typeName(shown) {
		case "transport_UTF16Z":
			typ = "string"
		case "opcode_Hash", "opcode_Hash16":
			kind = "ObjectID"
		}
	}
	if kind == "ObjectID" { // an object ID or a hash has no names
		descriptor = "nil"
	}
	fmt.Fprintf(t.b, "protofield(%s, %s, %s, %s, %v)", luaString(filter), luaString(name), luaString(typ), descriptor, kind == "ObjectID")
}
