// Package refusal owns telling, from what a worker answered, whether the
// delegation failed: the answer is empty, unfinished, handed back without a
// result, or says that the worker cannot or will not do it. A partial success
// is no failure.
//
// It knows English only. An answer in another language is a failure only if it
// is empty or if the operator has added phrases of that language.
//
// It reads words and no meaning: a table of phrases (table*.go) says which
// words give a task up, which deliver, which are harmless. A sentence of a
// third party ("the API cannot …"), a quotation, a condition or a question is
// no refusal, nor is a caveat behind an answer. The package does no I/O and
// knows no sessions; what a failure leads to is said by rules.
package refusal
