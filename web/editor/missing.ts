import type { Draft } from './unsaved/draft.ts';

/** What a post still needs, by field; the server says the same. */
export function missingIn({ type, title, description, content }: Draft): Record<string, string> {
  const isEssay = type === 'essay';
  return {
    ...(isEssay && title.trim() === '' && { title: 'A title is required for an essay.' }),
    ...(isEssay && description.trim() === '' && { description: 'A description is required for an essay.' }),
    ...(content.trim() === '' && { content: 'Content is required.' }),
  };
}

/** Moves the focus to the first of these fields. */
export function focusFirst(
  missing: Record<string, string>,
  form: HTMLFormElement | null,
  text: { focus(): void } | null,
): void {
  const [first] = Object.keys(missing);
  if (first === 'content') text?.focus();
  else if (first !== undefined) form?.querySelector<HTMLElement>(`[name='${first}']`)?.focus();
}
