import { namesWithSentence } from './unsaved/post-fields.ts';

/**
 * Moves the focus to the first of these fields, among the descriptions of attachments to the first that is
 * too long.
 */
export function focusFirst(
  fields: readonly string[],
  form: HTMLFormElement | null,
  text: { focus(): void } | null,
): void {
  const first = namesWithSentence.find(name => fields.includes(name));
  const named = `[name='${first}']`;
  const field =
    form?.querySelector<HTMLElement>(`${named}[aria-invalid='true']`) ??
    form?.querySelector<HTMLElement>(named);
  if (first === 'content') {
    text?.focus();
    // CodeMirror scrolls to the cursor only. In the next frame the error is there.
    requestAnimationFrame(() =>
      form?.querySelector("[role='tabpanel'] .error")?.scrollIntoView({ block: 'nearest' }),
    );
  } else field?.focus();
}
