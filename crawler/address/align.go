package address

// PieceKind is the relation of a piece of an address to another address.
type PieceKind uint8

// The kinds of pieces.
const (
	Same      PieceKind = iota // the same bytes in both
	Respelled                  // the same bytes in another spelling: %28 for (, %E3 for %e3
	Different                  // only in the second
	Removed                    // only in the first
)

// A Piece is a part of an address. Its Text shares the memory of the address it is from: the first
// for Removed, else the second.
type Piece struct {
	Text string
	Kind PieceKind
}

// Align splits to into pieces that show how it differs from from, word by word; where from has
// something else, a Removed piece precedes. The pieces that are not Removed make up to, and those that
// are not Different have the bytes of from; no piece is empty, and adjacent ones are of different
// kinds. Of texts of more than some 500 words only the ends are compared.
func Align(from, to string) (pieces []Piece) {
	xs, ys := words(from), words(to)
	add := func(kind PieceKind, s string, start, end int) {
		if start == end {
			return
		}
		if n := len(pieces); n > 0 && pieces[n-1].Kind == kind {
			start -= len(pieces[n-1].Text)
			pieces = pieces[:n-1]
		}
		pieces = append(pieces, Piece{s[start:end], kind})
	}
	i, j, ends := 0, 0, [2]int{len(xs) - 1, len(ys) - 1}
	for _, p := range append(common(wordsOf(from, xs), wordsOf(to, ys)), ends) {
		add(Removed, from, xs[i], xs[p[0]])
		add(Different, to, ys[j], ys[p[1]])
		if p == ends {
			break
		}
		i, j = p[0]+1, p[1]+1
		kind := Same
		if from[xs[p[0]]:xs[i]] != to[ys[p[1]]:ys[j]] {
			kind = Respelled
		}
		add(kind, to, ys[p[1]], ys[j])
	}
	return pieces
}

// words returns where the words of a text begin, and its end: each run of letters and digits, and each
// other byte, in its spelling.
func words(s string) []int {
	starts := make([]int, 0, len(s)/2+2)
	for i := 0; i < len(s); {
		starts = append(starts, i)
		inWord := isAlphanumeric(s[i])
		for i += tokenAt(s, i).size(); inWord && i < len(s) && isAlphanumeric(s[i]); i++ {
		}
	}
	return append(starts, len(s))
}

// wordsOf returns the words themselves, without their escapes.
func wordsOf(s string, starts []int) []string {
	list := make([]string, len(starts)-1)
	for i := range list {
		list[i] = DecodeValue(s[starts[i]:starts[i+1]])
	}
	return list
}

// maxAligned bounds the work of common.
const maxAligned = 1 << 18

// common returns the pairs of a longest common subsequence; for long texts only those of the common
// beginning and end.
func common(xs, ys []string) [][2]int {
	n, nx, ny := 0, len(xs), len(ys)
	pairs := make([][2]int, 0, min(nx, ny)+1)
	for ; n < min(nx, ny) && xs[n] == ys[n]; n++ {
		pairs = append(pairs, [2]int{n, n})
	}
	for ; min(nx, ny) > n && xs[nx-1] == ys[ny-1]; nx, ny = nx-1, ny-1 {
	}
	if w := ny - n + 1; (nx-n+1)*w <= maxAligned {
		longest := make([]int32, (nx-n+1)*w) // of what begins at a pair
		at := func(i, j int) *int32 { return &longest[(i-n)*w+j-n] }
		for i := nx - 1; i >= n; i-- {
			for j := ny - 1; j >= n; j-- {
				if *at(i, j) = max(*at(i+1, j), *at(i, j+1)); xs[i] == ys[j] {
					*at(i, j) = *at(i+1, j+1) + 1
				}
			}
		}
		for i, j := n, n; i < nx && j < ny; {
			switch {
			case xs[i] == ys[j]:
				pairs = append(pairs, [2]int{i, j})
				i, j = i+1, j+1
			case *at(i+1, j) >= *at(i, j+1):
				i++
			default:
				j++
			}
		}
	}
	for ; nx < len(xs); nx, ny = nx+1, ny+1 {
		pairs = append(pairs, [2]int{nx, ny})
	}
	return pairs
}
