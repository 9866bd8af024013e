package recorder

// Held returns the bytes of the datagrams that wait.
func (c *Conn) Held() int { return c.held }
