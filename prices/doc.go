// Package prices owns what tokens cost: a versioned table of rates by model,
// the finding of a model by the name that it is called by, and the cost of a
// usage in whole nano-dollars.
//
// A table is data of the policy: the same table, model and usage give the same
// cost on every machine. Nothing is a float, and nothing is rounded but the
// final sum, once and upwards.
//
// It fetches nothing, reads no clock, keeps no budget and judges nothing. The
// formats of other projects are read by package prices/importer.
package prices
