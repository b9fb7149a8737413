package storage

import (
	"errors"
	"io/fs"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	berrors "go.etcd.io/bbolt/errors"

	"sitemend/crawler/ground"
)

// What can be wrong with a store, for errors.Is; the error itself is an *Error, which also says
// what to do.
var (
	// ErrLocked: another process, or another Store of this one, holds the file.
	ErrLocked = errors.New("the store is in use")
	// ErrDamaged: the file cannot be read as a store. It was not changed.
	ErrDamaged = ground.ErrDamaged
	// ErrSchema: another version wrote the file, or it is a bbolt file of another program. It was
	// not changed.
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

// errLink: a link is in the place of one of our files or folders. Whoever could put one there would make
// us write or remove files elsewhere with our rights.
var errLink = errors.New("a link stands in its place, and nothing is written or removed through one")

// An Error says what is wrong with a store and what the user can do.
type Error struct {
	Path string // the store's file
	What string // what is wrong, in a few words
	Hint string // what to do about it; may be ""
	Err  error  // the cause, one of the errors of this package where one fits
}

// Error returns the path and what is wrong, without the hint.
func (e *Error) Error() string { return e.Path + ": " + e.What }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// HintDamaged is the hint of an ErrDamaged.
const HintDamaged = "the file was not changed; move it away or give another one with --store, and begin a new audit"

// causes are the errors that a user is told in our words, with a hint.
var causes = []struct {
	err, as error
	hint    string
}{
	{berrors.ErrDatabaseReadOnly, ErrReadOnly, ""},
	{berrors.ErrDatabaseNotOpen, ErrClosed, ""},
	{os.ErrClosed, ErrClosed, ""},
	{errLink, errLink, "name the file that it leads to, if it is yours: --store FILE; else remove the link"},
	{fs.ErrPermission, nil, "check who owns the file and its folder, or give another one with --store"},
}

// explain adds the store's path and a hint to err. It returns an *Error and nil unchanged.
func explain(path string, err error) error {
	var ours *Error
	if err == nil || errors.As(err, &ours) {
		return err
	}
	if slices.ContainsFunc(damages, func(e error) bool { return errors.Is(err, e) }) {
		return &Error{Path: path, What: ErrDamaged.Error() + ": " + err.Error(), Hint: HintDamaged, Err: ErrDamaged}
	}
	e := &Error{Path: path, What: err.Error(), Err: err}
	var at *fs.PathError
	if errors.As(err, &at) && at.Path == path {
		e.What = at.Op + ": " + at.Err.Error()
	}
	if Full(err) {
		e.Hint = "make room and run the same command again: it continues from what was written"
		return e
	}
	if strings.HasSuffix(err.Error(), "path escapes from parent") { // of os.Root, which has no name for it
		err = errLink
	}
	for _, c := range causes {
		if errors.Is(err, c.err) {
			e.Hint = c.hint
			if c.as != nil {
				e.What, e.Err = c.as.Error(), c.as
			}
			break
		}
	}
	return e
}

// Full reports whether err, of this package or of writing any file, says that there was no space.
// bbolt passes the system's error on as text where it extends its file.
func Full(err error) bool {
	return err != nil && slices.ContainsFunc(codesFull, func(full error) bool {
		return errors.Is(err, full) || strings.Contains(err.Error(), "file resize error") && strings.HasSuffix(err.Error(), full.Error())
	})
}

// damages are a fault met while reading a store, and bbolt's errors for a file that is not one of its own.
var damages = []error{ErrDamaged, berrors.ErrInvalid, berrors.ErrChecksum, berrors.ErrVersionMismatch,
	berrors.ErrInvalidMapping, berrors.ErrBucketNotFound, berrors.ErrIncompatibleValue}

// A fault is the error that names what is damaged.
type fault string

func (f fault) Error() string        { return string(f) }
func (f fault) Is(target error) bool { return target == ErrDamaged }

// errPage is what guard makes of a panic, which may have left bbolt's locks held.
const errPage fault = "a page of the file is not what was written"

// unreadable marks the error of decoding a record as damage; nil stays nil.
func unreadable(err error) error {
	if err != nil {
		err = fault("a record cannot be read: " + err.Error())
	}
	return err
}

// guard runs fn and turns a panic in it into errPage.
//
// bbolt reads a mapped file without checking it: an invalid page makes it panic, and one beyond the
// end of a truncated file is a memory fault, which ends the process unless SetPanicOnFault turns it
// into a panic. Only reading and writing the store runs in guard, never a caller's code.
func guard(fn func() error) (err error) {
	before := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(before)
		if recover() != nil {
			err = errPage
		}
	}()
	return fn()
}
