package model

import "io"

// NewDecoderMax is NewDecoder with another bound for lines.
func NewDecoderMax(r io.Reader, max int) (*Decoder, Header, error) { return newDecoder(r, max) }

// HeldMax bounds the events that wait.
const HeldMax = heldMax
