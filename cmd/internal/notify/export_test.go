package notify

// MostUnanswered is mostUnanswered, for tests.
const MostUnanswered = mostUnanswered
