// Package notify delivers one message to one receiver: a chat, a mailbox or a push service by its
// service URL (shoutrrr's), or a webhook, which gets signed JSON.
//
// Service URLs hold tokens, and so may whatever a service or the network says of a failure. No
// error of this package repeats any of it: what went wrong is said in words of its own.
package notify
