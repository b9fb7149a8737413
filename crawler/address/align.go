package address

// PieceKind says how a piece of an address stands to another address.
type PieceKind uint8

// The kinds of pieces.
const (
	Same      PieceKind = iota // the same bytes in both
	Respelled                  // the same bytes in another spelling
	Different                  // only in the second
	Removed                    // only in the first
)

// A Piece is a stretch of an address.
type Piece struct {
	Text string
	Kind PieceKind
}

// Align returns to, cut in pieces that show how it stands to from.
func Align(from, to string) []Piece {
	n := 0
	for n < len(from) && n < len(to) && from[n] == to[n] {
		n++
	}
	return []Piece{{to[:n], Same}, {from[n:], Removed}, {to[n:], Different}}
}
