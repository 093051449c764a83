package sasl

// SetDigest fixes what an exchange of d is for, and the client's nonce.
func SetDigest(d *Digest, uri, nonce string) {
	d.uri, d.nonce = uri, func() string { return nonce }
}
