package join

// TableSizes returns the numbers of networks and of Connects that the Host remembers.
func (h *Host) TableSizes() (networks, waiting int) { return h.networks.Len(), len(h.waiting) }
