// Package review owns what happens between a runaway and its next attempt: the
// case that a reviewer sees, the reviewers, their guidance, the memory of
// failures that were reviewed before, and the estimate of which work is risky
// enough for a review.
//
// It gets data and gives data: it knows no session, judges no step and starts
// no attempt. Guidance is text. It carries no rule and lifts no limit: the
// next attempt is judged by the same rules as the one before.
package review
