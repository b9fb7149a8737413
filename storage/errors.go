package storage

import (
	"errors"
	"io/fs"
	"os"
	"strings"

	berrors "go.etcd.io/bbolt/errors"

	"sitemend/crawler/audit"
)

// What can be wrong with a store, for errors.Is; the error itself is an *Error, which also says
// what to do.
var (
	// ErrLocked: another process, or another Store of this one, holds the file.
	ErrLocked = errors.New("the store is in use")
	// ErrDamaged: the file cannot be read as a store. It was not changed.
	ErrDamaged = audit.ErrDamaged
	// ErrSchema: the file was written by a newer version, or is a bbolt file of another program. It
	// was not changed.
	ErrSchema = errors.New("the store is of another kind")
	// ErrNone: there is no store, or no such audit in it.
	ErrNone = errors.New("no such audit")
	// ErrReadOnly: the store was opened with OpenReadOnly.
	ErrReadOnly = errors.New("the store is open for reading only")
	// ErrClosed: the Store or the Audit was closed.
	ErrClosed = errors.New("the store is closed")
	// ErrOpen: the audit is open and cannot be removed.
	ErrOpen = errors.New("the audit is open")
)

// An Error says what is wrong with a store and what the user can do.
type Error struct {
	Path string // the store's file
	What string // what is wrong, in a few words
	Hint string // what to do about it; may be ""
	Err  error  // the cause, one of the errors of this package where one fits
	// with ErrLocked: the holders only read the file, which takes seconds, not hours
	Read bool
}

// Error returns the path and what is wrong, without the hint.
func (e *Error) Error() string { return e.Path + ": " + e.What }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// HintDamaged is the hint of an ErrDamaged.
const HintDamaged = "the file was not changed; move it away or give another one with --store, and begin a new audit"

func damaged(path, detail string) *Error {
	return &Error{Path: path, What: ErrDamaged.Error() + ": " + detail, Hint: HintDamaged,
		Err: ErrDamaged}
}

func none(path, what string) *Error {
	return &Error{Path: path, What: what,
		Hint: "`sitemend list` shows the audits of a store, --store FILE names another one",
		Err:  ErrNone}
}

// explain adds the store's path and a hint to err. It returns an *Error and nil unchanged.
func explain(path string, err error) error {
	var ours *Error
	switch {
	case err == nil || errors.As(err, &ours):
		return err
	case isDamage(err):
		return damaged(path, err.Error())
	case errors.Is(err, berrors.ErrDatabaseReadOnly), errors.Is(err, ErrReadOnly):
		return &Error{Path: path, What: ErrReadOnly.Error(), Err: ErrReadOnly}
	case errors.Is(err, berrors.ErrDatabaseNotOpen), errors.Is(err, ErrClosed),
		errors.Is(err, os.ErrClosed):
		return &Error{Path: path, What: ErrClosed.Error(), Err: ErrClosed}
	case errors.Is(err, fs.ErrPermission):
		return &Error{Path: path, What: what(path, err),
			Hint: "check who owns the file and its folder, or give another one with --store",
			Err:  err}
	case isFull(err):
		return &Error{Path: path, What: what(path, err),
			Hint: "make room and run the same command again: it continues from what was written",
			Err:  err}
	}
	return &Error{Path: path, What: what(path, err), Err: err}
}

// Full reports whether err, of this package or of writing any file, says that there was no space.
// It is false for nil.
func Full(err error) bool { return err != nil && isFull(err) }

// isFull reports whether there was no space to write. bbolt passes the system's error on as text
// where it extends its file.
func isFull(err error) bool {
	for _, full := range codesFull {
		if errors.Is(err, full) || strings.Contains(err.Error(), "file resize error") &&
			strings.HasSuffix(err.Error(), full.Error()) {
			return true
		}
	}
	return false
}

// what returns the text of err, without the path if that is the store's own.
func what(path string, err error) string {
	var at *fs.PathError
	if errors.As(err, &at) && at.Path == path {
		return at.Op + ": " + at.Err.Error()
	}
	return err.Error()
}

// isDamage reports whether err is bbolt's error for a file that is not one of its own, or a fault
// caught while reading one.
func isDamage(err error) bool {
	for _, e := range []error{ErrDamaged, berrors.ErrInvalid, berrors.ErrChecksum,
		berrors.ErrVersionMismatch,
		berrors.ErrInvalidMapping, berrors.ErrBucketNotFound, berrors.ErrIncompatibleValue} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// unreadable marks the error of decoding a record as damage; nil stays nil.
func unreadable(err error) error {
	if err == nil {
		return nil
	}
	return &fault{what: "a record cannot be read: " + err.Error()}
}
