import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import type { Attachment } from '../../../contract/post.ts';
import { CallContext } from '../../app/queries.tsx';
import { Attachments } from '../../post/attachments.tsx';
import { emptyDraft } from '../unsaved/post-fields.ts';
import { Preview } from './preview.tsx';

const kinds = {
  picture: 'image/jpeg',
  'picture that moves': 'image/gif',
  SVG: 'image/svg+xml',
  video: 'video/mp4',
  audio: 'audio/mpeg',
  'file of another type': 'application/pdf',
};

function previewOf(attachment: Attachment): string {
  const draft = {
    ...emptyDraft,
    attachments: [{ ...attachment, description: attachment.description ?? '', alt: attachment.alt ?? '' }],
  };
  return renderToStaticMarkup(
    <QueryClientProvider client={new QueryClient()}>
      <CallContext value={() => new Promise(() => {})}>
        <Preview draft={draft} publishedOn="" />
      </CallContext>
    </QueryClientProvider>,
  );
}

for (const [kind, type] of Object.entries(kinds)) {
  for (const description of [null, 'The flood of 1954']) {
    it(`the preview of the editor shows a ${kind} as the page does, ${description === null ? 'without' : 'with'} a description`, () => {
      const attachment: Attachment = {
        name: 'flood.bin',
        url: '/files/flood',
        type,
        size: 12,
        description,
        alt: description && 'Water in the streets',
        thumbnail: type.startsWith('video/') ? '/files/poster' : null,
        width: null,
        height: null,
        placeholder: null,
      };
      const page = renderToStaticMarkup(<Attachments attachments={[attachment]} />);
      expect(page).toContain('/files/flood');
      expect(previewOf(attachment)).toContain(page);
      expect(previewOf(attachment)).not.toContain('Nothing to preview yet.');
    });
  }
}
