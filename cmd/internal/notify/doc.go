// Package notify delivers one message to one receiver: a chat, a mailbox or a push service by its
// service URL (shoutrrr's), or a webhook, which gets signed JSON.
//
// Service URLs contain tokens, and the messages of a service or of the network may repeat them. So
// no error of this package quotes such a message: it has words of its own.
package notify
