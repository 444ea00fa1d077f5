// Package trim owns the shortening of a message history before it is sent to
// a model: which messages stay, so that the history is short enough and still
// one that the model's API accepts.
//
// It is pure, and usable without the rest of cbpolicy. It drops whole messages
// and changes none, knows no API's wire format and asks no model to summarise.
package trim
