package model

import "io"

// NewDecoderMax is NewDecoder with another bound for lines.
func NewDecoderMax(r io.Reader, max int) (*Decoder, Header, error) { return newDecoder(r, max) }

// HeldMax bounds the events that wait.
const HeldMax = heldMax

// Unexported are the types with unexported fields that a state is made of.
var Unexported = []any{State{}, Candidate{}, diagnosis{}, edges{}, rounds{}, round{}, watching{}, departures{}, client{}}
