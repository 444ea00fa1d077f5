package review_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/cbpolicy/cbpolicy/actions/review"
)

const (
	theKey   = "sk-SECRETSECRETSECRET0123456789abcdef"
	theQuery = "q-0123456789"
)

// raw is a reviewer whose endpoint answers with these bytes.
func raw(t *testing.T, answer string) *review.HTTP {
	t.Helper()
	r, err := review.NewHTTP("http://endpoint.test/v1?code="+theQuery, "small", theKey)
	if err != nil {
		t.Fatal(err)
	}
	r.Client = &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		here, there := net.Pipe()
		go func() {
			defer there.Close()
			_, _ = there.Read(make([]byte, 1)) // an answer that nobody has asked for is none
			go func() { _, _ = io.Copy(io.Discard, there) }()
			_, _ = io.WriteString(there, answer)
		}()
		return here, nil
	}}}
	return r
}

func answered(status, body string) string {
	return fmt.Sprintf("HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n%s", status, len(body), body)
}

// escaped writes each character as JSON may.
func escaped(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		fmt.Fprintf(&b, `\u%04X`, c)
	}
	return b.String()
}

// shows reports whether a text holds a part of the key that is long enough to be of use.
func shows(text string) bool {
	for i := 0; i+6 <= len(theKey); i++ {
		if strings.Contains(text, theKey[i:i+6]) {
			return true
		}
	}
	return strings.Contains(text, theQuery)
}

// Whatever an endpoint says, and wherever it says it, the key does not get out.
func TestHTTP_TheKeyIsKept(t *testing.T) {
	for name, answer := range map[string]string{
		"guidance":           answered("200 OK", completion(`{"analysis":"your key is `+theKey+`","mistakes":["`+theKey+`"],"approach":["use `+theKey+` or `+theQuery+`"]}`)),
		"guidance, escaped":  answered("200 OK", completion(`{"analysis":"your key is `+escaped(theKey)+`","approach":["x"]}`)),
		"guidance, cut":      answered("200 OK", completion(`{"analysis":"`+strings.Repeat("x", 4090)+theKey+`","approach":["`+strings.Repeat("x", 1000)+theKey+`"]}`)),
		"escaped twice":      answered("200 OK", `{"choices":[{"message":{"content":"{\"analysis\":\"\`+strings.ReplaceAll(escaped(theKey), `\`, `\\`)[1:]+`\",\"approach\":[\"x\"]}"}}]}`),
		"its backslashes":    answered("200 OK", `{"choices":[{"message":{"content":"{\"analysis\":\"`+strings.ReplaceAll(escaped(theKey), `\`, `\u005c`)+`\",\"approach\":[\"x\"]}"}}]}`),
		"member":             answered("200 OK", completion(`{"`+theKey+`":"x"}`)),
		"member, cut":        answered("200 OK", completion(`{"`+strings.Repeat("x", 30)+theKey+`":"x"}`)),
		"member twice":       answered("200 OK", completion(`{"`+theKey+`":1,"`+theKey+`":2}`)),
		"specialist":         answered("200 OK", completion(`{"specialist":"`+theKey+`"}`)),
		"choices":            answered("200 OK", `{"choices":[{"`+theKey+`":1,"`+theKey+`":2}]}`),
		"prose":              answered("200 OK", theKey),
		"status line":        "HTTP/1.1 " + theKey + " x\r\n\r\n",
		"protocol":           theKey + "\r\n\r\n",
		"header":             "HTTP/1.1 200 OK\r\n" + theKey + "\r\n\r\n",
		"transfer encoding":  "HTTP/1.1 200 OK\r\nTransfer-Encoding: " + theKey + "\r\n\r\n",
		"length":             "HTTP/1.1 200 OK\r\nContent-Length: " + theKey + "\r\n\r\n",
		"refusal":            answered("401 Unauthorized", "bad key "+theKey+" of "+theQuery),
		"refusal, lower":     answered("401 Unauthorized", "bad key "+strings.ToLower(theKey)),
		"refusal, escaped":   answered("401 Unauthorized", `{"k":"`+escaped(theKey)+`"}`),
		"refusal, address":   answered("401 Unauthorized", "?k="+strings.ReplaceAll(theKey, "-", "%2d")),
		"behind blanks":      answered("401 Unauthorized", strings.Repeat(" ", 4071)+theKey),
		"at the end of 300":  answered("401 Unauthorized", strings.Repeat("x", 280)+theKey),
		"at the end of read": answered("401 Unauthorized", strings.Repeat(" ", 1<<20-20)+theKey),
		"broken off":         "HTTP/1.1 401 Unauthorized\r\nContent-Length: 100\r\n\r\n" + theKey[:20],
		"redirect":           "HTTP/1.1 307 Temporary Redirect\r\nLocation: http://" + theKey + "/\r\nContent-Length: 0\r\n\r\n",
		"content type":       "HTTP/1.1 200 OK\r\nContent-Type: text/html; k=" + theKey + "\r\nContent-Length: 0\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			g, err := review.Ask(t.Context(), "r", raw(t, answer), &review.Case{}, 0)
			if g == nil && err == nil {
				t.Fatal("neither guidance nor an error")
			}
			for e := err; e != nil; {
				if shows(e.Error()) {
					t.Errorf("the error says %s", e)
				}
				u, ok := e.(interface{ Unwrap() error })
				if !ok {
					break
				}
				e = u.Unwrap()
			}
			if g != nil && (shows(g.Text()) || shows(fmt.Sprintf("%+v", g)) || shows(strings.ToUpper(g.Analysis))) {
				t.Errorf("the guidance says %.300s", g.Text())
			}
		})
	}
}

// However a text around it is made, the key is not in what is made of it.
func TestHTTP_TheKeyIsKept_Anywhere(t *testing.T) {
	around := rapid.StringMatching(`[sk\\"u0 -]{0,12}`)
	rapid.Check(t, func(rt *rapid.T) {
		text := around.Draw(rt, "before") + theKey + around.Draw(rt, "after")
		_, err := raw(t, answered("401 Unauthorized", text)).Review(t.Context(), &review.Case{})
		if err == nil || shows(err.Error()) {
			rt.Fatalf("%q: %v", text, err)
		}
	})
}

// What endpoints without keys are given is no secret, and takes nothing out of guidance.
func TestHTTP_AShortKeyIsNoSecret(t *testing.T) {
	short, err := review.NewHTTP("http://endpoint.test", "small", "x")
	if err != nil {
		t.Fatal(err)
	}
	short.Client = &http.Client{Transport: says(completion(goodJSON))}
	if g, err := short.Review(t.Context(), &review.Case{}); err != nil || g.Analysis != "It looped." {
		t.Errorf("%+v, %v", g, err)
	}
}

// says answers every request with a body.
type says string

func (s says) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(string(s)))}, nil
}

// Backslashes cost no more than other characters.
func TestHTTP_ManyBackslashes(t *testing.T) {
	_, err := raw(t, answered("401 Unauthorized", strings.Repeat(`\`, 1<<20))).Review(t.Context(), &review.Case{})
	failed(t, err, review.Refused, `status 401: \`)
}
