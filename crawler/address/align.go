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
	head, tail := ends(from, to)
	xs, before := words(from, head, tail)
	ys, after := words(to, head, tail)
	add := func(kind PieceKind, s string, start, end int) {
		if n := len(pieces); n > 0 && pieces[n-1].Kind == kind {
			start -= len(pieces[n-1].Text)
			pieces = pieces[:n-1]
		}
		if start < end {
			pieces = append(pieces, Piece{s[start:end], kind})
		}
	}
	add(Same, to, 0, head)
	i, j, last := 0, 0, [2]int{len(xs) - 1, len(ys) - 1}
	for _, p := range append(common(before, after), last) {
		add(Removed, from, xs[i], xs[p[0]])
		add(Different, to, ys[j], ys[p[1]])
		if p == last {
			break
		}
		i, j = p[0]+1, p[1]+1
		kind := Same
		if from[xs[p[0]]:xs[i]] != to[ys[p[1]]:ys[j]] {
			kind = Respelled
		}
		add(kind, to, ys[p[1]], ys[j])
	}
	add(Same, to, len(to)-tail, len(to))
	return pieces
}

// ends returns the lengths of what two texts begin and end with alike, as far as slashes, which are words.
func ends(a, b string) (head, tail int) {
	for i := 0; i < min(len(a), len(b)) && a[i] == b[i]; i++ {
		if a[i] == '/' {
			head = i + 1
		}
	}
	for i := 1; i <= min(len(a), len(b))-head && a[len(a)-i] == b[len(b)-i]; i++ {
		if a[len(a)-i] == '/' {
			tail = i
		}
	}
	return head, tail
}

// words returns where the words of a text begin, and the last ends, and the words without their escapes;
// of head bytes at its beginning and tail at its end none. A word is a run of letters and digits, or
// another byte in its spelling.
func words(s string, head, tail int) (starts []int, list []string) {
	end := len(s) - tail
	for i := head; i < end; {
		from := i
		for i += tokenAt(s, i).size(); isAlphanumeric(s[from]) && i < end && isAlphanumeric(s[i]); i++ {
		}
		starts, list = append(starts, from), append(list, DecodeValue(s[from:i]))
	}
	return append(starts, end), list
}

// maxAligned bounds the work of common.
const maxAligned = 1 << 18

// common returns the pairs of a longest common subsequence; none for long texts.
func common(xs, ys []string) (pairs [][2]int) {
	w := len(ys) + 1
	if (len(xs)+1)*w > maxAligned {
		return nil
	}
	longest := make([]int32, (len(xs)+1)*w) // of what begins at a pair
	for i := len(xs) - 1; i >= 0; i-- {
		for j, at := len(ys)-1, i*w+len(ys)-1; j >= 0; j, at = j-1, at-1 {
			if longest[at] = max(longest[at+w], longest[at+1]); xs[i] == ys[j] {
				longest[at] = longest[at+w+1] + 1
			}
		}
	}
	for i, j := 0, 0; i < len(xs) && j < len(ys); {
		switch at := i*w + j; {
		case xs[i] == ys[j]:
			pairs = append(pairs, [2]int{i, j})
			i, j = i+1, j+1
		case longest[at+w] >= longest[at+1]:
			i++
		default:
			j++
		}
	}
	return pairs
}
