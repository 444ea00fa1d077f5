package review

import (
	"bytes"
	"context"
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
	secrets    hidden
}

// NewHTTP returns a reviewer that asks a model. The address is that of the
// endpoint, such as https://api.openai.com/v1; /chat/completions is added
// unless it ends so. An empty key sends no Authorization. Neither the key nor a
// value of the address's query that may be one is in guidance or in an error,
// though the endpoint cite it; a key of less than 4 bytes is no secret.
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
	case len(key) > maxSecret:
		return nil, fmt.Errorf("the reviewer's key has %d bytes; at most %d are sent", len(key), maxSecret)
	}
	u.Fragment = ""
	if !strings.HasSuffix(strings.TrimRight(u.Path, "/"), "/chat/completions") {
		u = u.JoinPath("chat", "completions")
	}
	return &HTTP{endpoint: u, model: model, key: key, secrets: secretsOf(key, u)}, nil
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
	// What was escaped twice in the answer is found in its content.
	g, err := ParseGuidance([]byte(unfence(r.secrets.hide(content))))
	if err != nil {
		return nil, r.fault(Unusable, err)
	}
	g.Source = r.Name()
	return g, nil
}

func (r *HTTP) fault(p Problem, err error) error {
	return &Error{r.Name(), p, r.secrets.hideIn(err)}
}

// post sends a request and returns the body of the answer, without secrets.
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
	req.Close = true // what came on a connection kept open would be logged, the key in it
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
		return nil, r.fault(Refused, r.refusal(res.StatusCode, answer, err))
	case len(answer) > maxAnswer:
		return nil, r.fault(TooLong, fmt.Errorf("the answer is longer than %d bytes", maxAnswer))
	case err != nil:
		return nil, r.fault(NotReached, fmt.Errorf("the answer breaks off: %w", r.hide(err)))
	}
	switch kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type")); kind {
	case "text/event-stream":
		return nil, r.fault(Unusable, errors.New("the endpoint streams although it was asked not to"))
	case "text/html", "application/xhtml+xml":
		return nil, r.fault(Unusable, errors.New("the answer is no chat completion: it is a page ("+kind+")"))
	}
	return []byte(r.secrets.hide(string(answer))), nil
}

// refusal says with which status an endpoint refused, and with which words. Of
// a body that breaks off nothing is said, as it may end within the key.
func (r *HTTP) refusal(status int, body []byte, broken error) error {
	what := fmt.Sprintf("status %d", status)
	if status >= 300 && status <= 399 {
		what += ": it redirects to another address, and redirects are not followed; give the address of the endpoint itself"
	}
	if broken != nil {
		return errors.New(what)
	}
	said := strings.Join(strings.Fields(cut(r.secrets.hide(string(body)), 4<<10)), " ")
	if said == "" {
		return errors.New(what)
	}
	return errors.New(what + ": " + cut(said, 300))
}

// hide takes the address out of an error, as its query may hold a key.
func (r *HTTP) hide(err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}
