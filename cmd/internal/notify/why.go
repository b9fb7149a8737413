package notify

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/textproto"
	"regexp"
	"strconv"
	"strings"
	"syscall"
)

// why returns a message of this package for an error of a delivery; nil for nil. It never contains
// the text of err, which may have the service URL, a secret, in any form.
func why(err error) error {
	if err == nil {
		return nil
	}
	var name *net.DNSError
	var slow net.Error
	var unknown x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	var verify *tls.CertificateVerificationError
	var mail *textproto.Error
	switch {
	case errors.Is(err, context.Canceled):
		return errors.New("sitemend was stopped meanwhile")
	case errors.As(err, &name):
		return errors.New("its host name has no address, or the name server does not answer")
	case errors.Is(err, syscall.ECONNREFUSED):
		return errors.New("nothing listens there (connection refused)")
	case errors.As(err, &unknown), errors.As(err, &host), errors.As(err, &invalid), errors.As(err, &verify):
		return errors.New("its certificate is not trusted")
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &slow) && slow.Timeout():
		return errors.New("it did not accept it in time")
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("it closed the connection without an answer")
	case errors.As(err, &mail):
		return errors.New("the mail server answered " + strconv.Itoa(mail.Code))
	}
	// Some services include only the text of an error in theirs, without wrapping it.
	text := strings.ToLower(err.Error())
	switch {
	case strings.Contains(text, "connection refused"):
		return errors.New("nothing listens there (connection refused)")
	case strings.Contains(text, "no such host"):
		return errors.New("its host name has no address, or the name server does not answer")
	case strings.Contains(text, "deadline exceeded"), strings.Contains(text, "timeout"):
		return errors.New("it did not accept it in time")
	}
	if status := answered.FindStringSubmatch(text); status != nil {
		return errors.New("it answered " + status[1])
	}
	return errors.New("the service did not accept it")
}

// answered matches an HTTP status in the text of a service's error. Three digits that stand alone
// after one of these words are not a secret, and not part of an address.
var answered = regexp.MustCompile(`(?:status|code|response|returned)[^0-9a-z/]{1,12}([1-5][0-9]{2})(?:[^0-9a-z._/-]|$)`)
