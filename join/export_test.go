package join

// Known returns the number of players that the Client remembers.
func (c *Client) Known() int { return len(c.peers.known) }

// TableSizes returns the numbers of networks and of Connects that the Host remembers.
func (h *Host) TableSizes() (networks, waiting int) { return h.networks.Len(), len(h.waiting) }
