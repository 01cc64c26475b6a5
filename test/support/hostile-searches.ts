/** What a query language would take for an operator, or could not take at all, and no post has for a word. */
export const hostileSearches = [
  ...['"', "'", '%', '_', '\0', '\\', '(', '*', '^', '!', '{', '\ud800'],
  ...['&|', 'q:*', '@12', '+ab', '_boat', '-rivers', 'title:', 'tokens:', 'OR', '" OR "'],
  ...['AND NOT', 'NEAR(a b)', "a' or 1=1 --", 'x'.repeat(100)],
];
