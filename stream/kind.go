package stream

// kind identifies the last primitive, so that a trace can decode its value again.
type kind uint8

const (
	kindNone kind = iota
	kindOpcode
	kindUint8
	kindInt8
	kindUint16
	kindInt16
	kindUint32
	kindInt32
	kindFloat32
	kindFloat64
	kindObjectID
	kindFloat16
	kindVector3
	kindVector4
	kindVector4F
	kindContact
	kindBool
	kindBytes
)

// read decodes raw with the primitive.
func (k kind) read(raw []byte) any {
	var c Codec
	c.DecodeBare(raw)
	switch k {
	case kindOpcode, kindUint8:
		return read(c.Uint8)
	case kindInt8:
		return read(c.Int8)
	case kindUint16:
		return read(c.Uint16)
	case kindInt16:
		return read(c.Int16)
	case kindUint32:
		return read(c.Uint32)
	case kindInt32:
		return read(c.Int32)
	case kindFloat32:
		return read(c.Float32)
	case kindFloat64:
		return read(c.Float64)
	case kindObjectID:
		return read(c.ObjectID)
	case kindFloat16:
		return read(c.Float16)
	case kindVector3:
		return read(c.Vector3)
	case kindVector4:
		return read(c.Vector4)
	case kindVector4F:
		return read(c.Vector4F)
	case kindContact:
		return read(c.Contact)
	default:
		return raw
	}
}

func read[T any](primitive func(*T)) T {
	var v T
	primitive(&v)
	return v
}
