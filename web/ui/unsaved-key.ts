/** The kinds of text that this browser stores until they are saved: posts, comments, the About text. */
export const unsavedKinds = ['coterie-draft', 'comment-draft', 'about-draft'] as const;

/** The key of such a text. It begins with its kind and its account, so that accounts have separate texts. */
export function unsavedKey(
  kind: (typeof unsavedKinds)[number],
  userId: string,
  ...rest: readonly string[]
): string {
  return [kind, userId, ...rest].join(':');
}
