package review

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// HTTP is a reviewer behind an endpoint for chat completions, as OpenAI and
// many others have it. Make one with NewHTTP.
type HTTP struct {
	// Timeout is how long a review may take; 0: DefaultTimeout.
	Timeout time.Duration
	// Client is what requests are made with; nil: one of its own. Redirects are
	// never followed: the case and the key are for the endpoint alone.
	Client *http.Client

	endpoint   *url.URL
	model, key string
}

// NewHTTP returns a reviewer that asks a model. The address is that of the
// endpoint, such as https://api.openai.com/v1; /chat/completions is added
// unless it ends so. An empty key sends no Authorization.
func NewHTTP(address, model, key string) (*HTTP, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return nil, errors.New("the address of the reviewer is no URL: write one such as https://host/v1") // the error would cite it
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, errors.New("the address of the reviewer must begin with http:// or https:// and a host")
	case u.User != nil:
		return nil, errors.New("the address of the reviewer holds a user or password: give the key apart from it")
	case model == "":
		return nil, errors.New("the reviewer's model is not named")
	case strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }):
		return nil, errors.New("the reviewer's key holds a blank or a character that no header may hold")
	}
	u.Fragment = ""
	if !strings.HasSuffix(strings.TrimRight(u.Path, "/"), "/chat/completions") {
		u = u.JoinPath("chat", "completions")
	}
	return &HTTP{endpoint: u, model: model, key: key}, nil
}

// Name names the reviewer by its model and host.
func (r *HTTP) Name() string { return "model " + r.model + " at " + r.endpoint.Host }

// Review implements Reviewer. The error is an *Error: the endpoint is not
// there (NotReached), does not answer in time (TimedOut) or not with status 2xx
// (Refused), answers more than 1 MiB (TooLong) or what is no guidance
// (Unusable). Nothing is asked twice.
func (r *HTTP) Review(ctx context.Context, c *Case) (*Guidance, error) {
	timeout := r.Timeout
	if timeout <= 0 {
		timeout = DefaultTimeout
	}
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	body, err := prompt(r.model, c)
	if err != nil {
		return nil, r.fault(Unusable, err)
	}
	answer, err := r.post(limited, body)
	switch {
	case err == nil:
	case ctx.Err() == nil && limited.Err() != nil:
		return nil, r.fault(TimedOut, fmt.Errorf("no answer within %s", timeout))
	case errors.Is(ctx.Err(), context.Canceled):
		return nil, r.fault(Cancelled, ctx.Err())
	case ctx.Err() != nil:
		return nil, r.fault(TimedOut, ctx.Err())
	default:
		return nil, err
	}
	content, err := contentOf(answer)
	if err != nil {
		return nil, r.fault(Unusable, err)
	}
	g, err := ParseGuidance([]byte(unfence(content)))
	if err != nil {
		return nil, r.fault(Unusable, err)
	}
	g.Source = r.Name()
	return g, nil
}

func (r *HTTP) fault(p Problem, err error) error { return &Error{r.Name(), p, err} }

// post sends a request and returns the body of the answer.
func (r *HTTP) post(ctx context.Context, body []byte) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.endpoint.String(), bytes.NewReader(body))
	if err != nil {
		return nil, r.fault(NotReached, r.hide(err))
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	if r.key != "" {
		req.Header.Set("Authorization", "Bearer "+r.key)
	}
	client := http.Client{}
	if r.Client != nil {
		client = *r.Client
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	res, err := client.Do(req)
	if err != nil {
		return nil, r.fault(NotReached, r.hide(err))
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	switch {
	case res.StatusCode < 200 || res.StatusCode > 299:
		said := r.withoutKey(strings.Join(strings.Fields(cut(string(answer), 4<<10)), " "))
		return nil, r.fault(Refused, fmt.Errorf("status %d: %s", res.StatusCode, cut(said, 300)))
	case len(answer) > maxAnswer:
		return nil, r.fault(TooLong, fmt.Errorf("the answer is longer than %d bytes", maxAnswer))
	case err != nil:
		return nil, r.fault(NotReached, fmt.Errorf("the answer breaks off: %w", r.hide(err)))
	}
	if kind, _, err := mime.ParseMediaType(res.Header.Get("Content-Type")); err == nil && kind == "text/event-stream" {
		return nil, r.fault(Unusable, errors.New("the endpoint streams although it was asked not to"))
	}
	return answer, nil
}

// hide takes the address out of an error, as its query may hold a key.
func (r *HTTP) hide(err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}

func (r *HTTP) withoutKey(text string) string {
	if r.key == "" {
		return text
	}
	return strings.ReplaceAll(text, r.key, "(the key)")
}

// contentOf returns what the model said.
func contentOf(answer []byte) (string, error) {
	var completion struct {
		Choices []struct {
			FinishReason string `json:"finish_reason"`
			Message      struct {
				Content *string `json:"content"`
			} `json:"message"`
		} `json:"choices"`
	}
	if err := json.Unmarshal(answer, &completion); err != nil {
		return "", fmt.Errorf("the answer is no chat completion: %w", err)
	}
	switch c := completion.Choices; {
	case len(c) == 0:
		return "", errors.New("the answer is no chat completion: it has no choices")
	case c[0].FinishReason == "length":
		return "", errors.New("the model's answer was cut off at its token limit")
	case c[0].Message.Content == nil || strings.TrimSpace(*c[0].Message.Content) == "":
		return "", errors.New("the model said nothing (no message content)")
	default:
		return *c[0].Message.Content, nil
	}
}

// unfence takes JSON out of a code fence if that is all there is. Anything
// around it stays, and is no JSON.
func unfence(content string) string {
	text := strings.TrimSpace(content)
	open, rest, found := strings.Cut(text, "\n")
	open = strings.TrimSpace(open)
	if !found || open != "```" && !strings.EqualFold(open, "```json") {
		return text
	}
	inner, found := strings.CutSuffix(rest, "```")
	if !found {
		return text
	}
	return inner
}
