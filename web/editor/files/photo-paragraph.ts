import { isPhoto } from '../../../contract/files.ts';
import { pictureMarkdown } from '../pictures/pictures-in-text.ts';

type Photo = { url: string; type: string; description: string; alt?: string };
type Photos = { content: string; attachments: readonly Photo[] };

/** Whether a draft has no words, but pictures that can replace them. */
export function isOfPhotosAlone({ content, attachments }: Photos): boolean {
  return content.trim() === '' && attachments.some(isPhoto);
}

/**
 * The draft as it is saved: a post must have content, so pictures without words are its text, one paragraph
 * of them (decisions.md 45), with their captions and alternative texts.
 */
export function withPhotosAsText<Draft extends Photos>(draft: Draft): Draft {
  if (!isOfPhotosAlone(draft)) return draft;
  const { attachments } = draft;
  return {
    ...draft,
    content: attachments
      .filter(isPhoto)
      .map(({ url, description, alt = '' }) =>
        pictureMarkdown({ url, alt: alt.trim(), caption: description.trim() }),
      )
      .join('\n'),
    attachments: attachments.filter(file => !isPhoto(file)),
  };
}
