// Package load puts load on an HTTP server and counts what it answers: from clients that wait for each answer before they ask
// again, and by arrivals at times that are fixed in advance. It speaks as much of HTTP as it takes, so that it takes little of the
// machine that the server runs on.
package load
