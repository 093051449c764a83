package sasl

// SetDigest sets the service and host of d, and the client's nonce.
func SetDigest(d *Digest, uri, nonce string) {
	d.uri, d.nonce = uri, func() string { return nonce }
}
