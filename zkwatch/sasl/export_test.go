package sasl

func SetURIAndClientNonce(d *Digest, uri, nonce string) {
	d.uri, d.nonce = uri, func() string { return nonce }
}
