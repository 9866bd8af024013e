package opcode

// ReceiverCode returns the code under which a receiver posts the event of a message that
// came with the given code: senders notify, receivers act.
func ReceiverCode(op Code, code EventCode) EventCode {
	switch op {
	case OpStartFiring:
		return ETStartFiring
	case OpStopFiring:
		return ETStopFiring
	case OpStopFiringAtTarget:
		return ETStopFiringAtTarget
	case OpSubsystemStatus:
		return ETSubsystemStateChanged
	case OpAddToRepairList:
		return ETAddToRepairList
	case OpStartCloaking:
		return ETStartCloaking
	case OpStopCloaking:
		return ETStopCloaking
	case OpStartWarp:
		return ETStartWarp
	case OpCollisionEffect:
		return ETHostObjectCollision
	case OpTorpedoTypeChange:
		return ETNetTorpedoTypeChanged
	}
	return code
}
