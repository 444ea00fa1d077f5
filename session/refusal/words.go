package refusal

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// wordReader reads the words of a text, lower-case and with straight
// apostrophes. Invisible characters inside a word are dropped, so that they
// hide nothing.
type wordReader struct {
	s          string
	start, end int // of the word read last
	buf        []byte
	split      [2][]byte
	room       [2][]byte // of what is not a part of buf
}

// next finds the next word behind the last one.
func (r *wordReader) next() bool {
	for i := r.end; i < len(r.s); {
		c, size := utf8.DecodeRuneInString(r.s[i:])
		if isWord(c) {
			r.read(i)
			return true
		}
		i += size
	}
	return false
}

// read reads the word that begins at a place.
func (r *wordReader) read(at int) {
	r.start, r.buf = at, r.buf[:0]
	i := at
	for i < len(r.s) {
		c, size := utf8.DecodeRuneInString(r.s[i:])
		switch {
		case isWord(c):
			r.buf = utf8.AppendRune(r.buf, unicode.ToLower(c))
		case isApostrophe(c) && wordAt(r.s, i+size):
			r.buf = append(r.buf, '\'')
		case isInvisible(c):
		case (c == '.' || c == ',') && digitBefore(r.buf) && digitAt(r.s, i+size):
			r.buf = append(r.buf, byte(c))
		default:
			r.end = i
			return
		}
		i += size
	}
	r.end = i
}

// A symbol such as a tick or a flag is a word: it may be all that an answer says.
func isWord(c rune) bool {
	return c != utf8.RuneError && (unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.Is(unicode.So, c))
}

func isInvisible(c rune) bool { return unicode.Is(unicode.Cf, c) || unicode.Is(unicode.Mn, c) }

func isApostrophe(c rune) bool {
	switch c {
	case '\'', '’', '‘', 'ʼ', '＇', '`', '´', '′':
		return true
	}
	return false
}

func wordAt(s string, i int) bool {
	c, _ := utf8.DecodeRuneInString(s[i:])
	return isWord(c)
}

func digitAt(s string, i int) bool { return i < len(s) && '0' <= s[i] && s[i] <= '9' }

func digitBefore(b []byte) bool {
	return len(b) > 0 && '0' <= b[len(b)-1] && b[len(b)-1] <= '9'
}

// isWhole reports whether the word is no contraction.
func (r *wordReader) isWhole() bool {
	_, known := contractions[string(r.buf)]
	return !known && bytes.IndexByte(r.buf, '\'') < 0
}

// parts takes a contraction apart: "can't" and "cannot" are "can", "not".
// The parts are good until the next call.
func (r *wordReader) parts() [][]byte {
	if whole, ok := contractions[string(r.buf)]; ok {
		r.put(0, whole[0])
		return r.second(whole[1])
	}
	r.split[0] = r.buf
	at := bytes.LastIndexByte(r.buf, '\'')
	if at < 0 {
		return r.split[:1]
	}
	base, suffix := r.buf[:at], r.buf[at+1:]
	switch string(suffix) {
	case "t":
		if root, ok := bytes.CutSuffix(base, []byte("n")); ok {
			r.split[0] = root
			return r.second("not")
		}
	case "m", "re", "ve", "ll", "d":
		r.split[0] = base
		return r.second(suffixes[string(suffix)])
	case "s":
		// "it's" says "it is"; "the team's" says whose.
		r.split[0] = base
		if pronouns[string(base)] {
			return r.second("is")
		}
	}
	return r.split[:1]
}

// put makes a word a part.
func (r *wordReader) put(part int, word string) {
	r.room[part] = append(r.room[part][:0], word...)
	r.split[part] = r.room[part]
}

// second is the first part, with a word behind it.
func (r *wordReader) second(word string) [][]byte {
	r.put(1, word)
	return r.split[:]
}

// contractions are those that are irregular, and those often typed without
// their apostrophe.
var contractions = map[string][2]string{
	"cannot": {"can", "not"}, "can't": {"can", "not"}, "cant": {"can", "not"},
	"won't": {"will", "not"}, "shan't": {"shall", "not"}, "ain't": {"am", "not"},
	"couldnt": {"could", "not"}, "dont": {"do", "not"}, "doesnt": {"does", "not"},
	"didnt": {"did", "not"}, "isnt": {"is", "not"}, "wasnt": {"was", "not"},
	"havent": {"have", "not"}, "wouldnt": {"would", "not"}, "arent": {"are", "not"},
	"im": {"i", "am"}, "ive": {"i", "have"},
}

var suffixes = map[string]string{"m": "am", "re": "are", "ve": "have", "ll": "will", "d": "would"}

var pronouns = map[string]bool{
	"it": true, "that": true, "this": true, "there": true, "here": true, "what": true,
	"he": true, "she": true, "who": true, "where": true, "everything": true, "nothing": true,
}
