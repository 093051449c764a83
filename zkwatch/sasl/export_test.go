package sasl

func SetDigest(d *Digest, uri, nonce string) {
	d.uri, d.nonce = uri, func() string { return nonce }
}
