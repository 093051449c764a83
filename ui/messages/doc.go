// Package messages is the panel of messages: a ladder of what goes between two
// candidates and the embedded server while that is slowed or steps. Time goes down;
// each candidate has a line at one side and the server one in the middle.
//
// An arrow to the server is a request that it carried out, an arrow from it a reply or
// a notification that it sent. One that did not arrive ends half-way, with the reason.
// What is held is below, in the order of its release. Between the arrows are the
// deletions, as the server reported them, and the steps of the recipe, as the candidates
// did. All of that was reported by the one that did it; nothing is concluded from the
// recipe.
package messages
