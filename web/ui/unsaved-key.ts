/** What people begin to write and this browser keeps until it is saved: posts, comments, the About text. */
export const unsavedKinds = ['coterie-draft', 'comment-draft', 'about-draft'] as const;

/** Under which key such a text is kept. It begins with its kind and its account: whoever logs in next has their own. */
export function unsavedKey(
  kind: (typeof unsavedKinds)[number],
  userId: string,
  ...rest: readonly string[]
): string {
  return [kind, userId, ...rest].join(':');
}
