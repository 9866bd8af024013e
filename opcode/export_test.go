package opcode

import "errors"

// Refused returns the opcode and the field in an error of Authorize.
func Refused(err error) (op Code, field string, ok bool) {
	refusal, ok := errors.AsType[*authError](err)
	if !ok {
		return 0, "", false
	}
	return refusal.op, refusal.field, true
}
