// Package page owns the page that shows a replay: one HTML file that needs
// nothing beside itself, neither a network nor a script. It shows how recorded runs
// are distributed, with the limits of the rules drawn on them, and where the runs
// that were halted were.
//
// It judges nothing: what it shows are results, timelines and measures of
// package replay. Texts of the recordings are hostile: all of them are escaped,
// and the page forbids its reader to load or run anything. Equal runs give
// equal bytes.
package page
