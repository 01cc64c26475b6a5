import { expect, it } from 'vitest';
import type { EditorAttachment } from '../unsaved/draft.ts';
import { emptyDraft } from '../unsaved/post-fields.ts';
import { withPhotosAsText } from './photo-paragraph.ts';

const file = (url: string, type: string, description = ''): EditorAttachment => ({
  ...{ url, type, description },
  ...{ name: 'x', size: 1, thumbnail: null },
});

const photos = [
  file('/files/a/a.jpg', 'image/jpeg', 'A "gate" \\ & <b>*old*</b>'),
  file('/files/b/b.mp4', 'video/mp4'),
  { ...file('/files/c/c.jpg', 'image/jpeg'), alt: ' A [blue] door ' },
];

it('withPhotosAsText makes pictures without words the text, one paragraph with their captions and what they show', () => {
  const { content, attachments } = withPhotosAsText({ ...emptyDraft, content: ' \n', attachments: photos });
  expect(attachments).toEqual([photos[1]]);
  expect(content).toBe(
    '![](/files/a/a.jpg "A \\"gate\\" \\\\ \\& <b>*old*</b>")\n![A \\[blue\\] door](/files/c/c.jpg)',
  );
});

it('withPhotosAsText leaves a draft with words, and one without pictures', () => {
  for (const draft of [
    { ...emptyDraft, content: 'Words', attachments: photos },
    { ...emptyDraft, attachments: photos.slice(1, 2) },
  ])
    expect(withPhotosAsText(draft)).toBe(draft);
});
