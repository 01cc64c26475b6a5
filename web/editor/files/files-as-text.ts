import { isPhoto, shownName } from '../../../contract/files.ts';
import { pictureMarkdown } from '../pictures/pictures-in-text.ts';

type Attached = { url: string; type: string; name: string; description: string; alt?: string };
type WithFiles = { content: string; attachments: readonly Attached[] };

const isPlayed = ({ type }: Attached) => /^(video|audio)\//.test(type);

/** The files that can replace the words of a draft: its pictures, or else its videos and sounds. */
function filesForWords({ content, attachments }: WithFiles): readonly Attached[] {
  if (content.trim() !== '') return [];
  const photos = attachments.filter(isPhoto);
  return photos.length > 0 ? photos : attachments.filter(isPlayed);
}

/** Whether a draft has no words, but files that can replace them. */
export const isOfFilesAlone = (draft: WithFiles): boolean => filesForWords(draft).length > 0;

/**
 * The draft as it is saved: a post must have content, so pictures without words are its text, one paragraph
 * of them (decision 45), with their captions and alternative texts; without pictures, videos and sounds.
 */
export function withFilesAsText<Draft extends WithFiles>(draft: Draft): Draft {
  const files = filesForWords(draft);
  if (files.length === 0) return draft;
  return {
    ...draft,
    content: files
      .map(({ url, type, name, description, alt = '' }) => {
        const words = alt.trim() || (isPhoto({ type }) ? '' : shownName(name, type));
        return pictureMarkdown({ url, alt: words, caption: description.trim() });
      })
      .join('\n'),
    attachments: draft.attachments.filter(file => !files.includes(file)),
  };
}
