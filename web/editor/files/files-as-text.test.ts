import { expect, it } from 'vitest';
import type { EditorAttachment } from '../unsaved/draft.ts';
import { emptyDraft } from '../unsaved/post-fields.ts';
import { withFilesAsText } from './files-as-text.ts';

const file = (url: string, type: string, description = ''): EditorAttachment => ({
  ...{ url, type, description },
  ...{ name: 'x', size: 1, thumbnail: null },
});

const photos = [
  file('/files/a/a.jpg', 'image/jpeg', 'A "gate" \\ & <b>*old*</b>'),
  file('/files/b/b.mp4', 'video/mp4'),
  { ...file('/files/c/c.jpg', 'image/jpeg'), alt: ' A [blue] door ' },
];

it('withFilesAsText makes pictures without words the text, one paragraph with their captions and what they show', () => {
  const { content, attachments } = withFilesAsText({ ...emptyDraft, content: ' \n', attachments: photos });
  expect(attachments).toEqual([photos[1]]);
  expect(content).toBe(
    '![](/files/a/a.jpg "A \\"gate\\" \\\\ \\& <b>*old*</b>")\n![A \\[blue\\] door](/files/c/c.jpg)',
  );
});

it('withFilesAsText makes a video or a voice message the text where there is no picture', () => {
  const message = file('/files/d/d.m4a', 'audio/mp4', 'From the station');
  const table = file('/files/e/e.csv', 'text/csv');
  const draft = { ...emptyDraft, attachments: [{ ...message, name: 'Voice message.m4a' }, table] };
  expect(withFilesAsText(draft)).toMatchObject({
    content: '![Voice message](/files/d/d.m4a "From the station")',
    attachments: [table],
  });
  expect(withFilesAsText({ ...emptyDraft, attachments: photos.slice(1, 2) }).content).toBe(
    '![x](/files/b/b.mp4)',
  );
});

it('withFilesAsText leaves a draft with words, and one without anything to see or hear', () => {
  for (const draft of [
    { ...emptyDraft, content: 'Words', attachments: photos },
    { ...emptyDraft, attachments: [file('/files/e/e.csv', 'text/csv')] },
  ])
    expect(withFilesAsText(draft)).toBe(draft);
});
