package model

// HeldMax bounds the events that wait.
const HeldMax = heldMax
