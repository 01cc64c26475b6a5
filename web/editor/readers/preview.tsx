import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useLayoutEffect, useRef } from 'react';
import { operationQuery, useCall } from '../../app/queries.tsx';
import { Attachments } from '../../post/attachments.tsx';
import { Meta } from '../../post/meta.tsx';
import { Notice } from '../../ui/notice.tsx';
import { leaveTabOrder } from '../../ui/tab-order.ts';
import { useLater } from '../../ui/use-later.ts';
import { longCharacters } from '../text/long-text.ts';
import type { Draft } from '../unsaved/draft.ts';
import { LiveProse } from './live-prose.tsx';

/** How long typing must pause before the server renders, in milliseconds. */
const previewRestMs = 300;

export type PreviewProps = {
  draft: Draft;
  /** The date that readers see; empty for a draft without one. */
  publishedOn: string;
  /** Whether it is beside the text, where Tab skips to the attachments: its links are under Preview. */
  isBeside?: boolean;
};

/** The post as readers will see it, rendered by the server as when it is saved. */
export function Preview({ draft, publishedOn, isBeside = false }: PreviewProps) {
  const article = useRef<HTMLElement>(null);
  const { attachments } = draft;
  useLayoutEffect(() => {
    if (isBeside && attachments.length > 0 && article.current !== null) leaveTabOrder(article.current);
  }, [isBeside, attachments]);
  // A long text is reported when typing rests: another delay would begin again with the next key.
  const content = useLater(draft.content, draft.content.length < longCharacters ? previewRestMs : 0);
  const isEmpty = content.trim() === '';
  const rendered = useQuery({
    ...operationQuery(useCall(), 'previewPost', { content, type: draft.type }),
    placeholderData: keepPreviousData,
    enabled: !isEmpty,
    // The same text always gives the same result; only the last few are cached.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 10_000,
  });
  return (
    <article ref={article} className="article">
      {draft.type === 'essay' && (
        <header>
          <p className="preview-title" dir="auto">
            {draft.title.trim() || 'Title'}
          </p>
          <p className="summary" dir="auto">
            {draft.description.trim() || 'Description'}
          </p>
        </header>
      )}
      {rendered.isError && <Notice text={`Failed to load the preview. ${rendered.error.message}`} />}
      {isEmpty && attachments.length === 0 && <p className="status">Nothing to preview yet.</p>}
      {!isEmpty && rendered.isPending && <p className="status">Loading...</p>}
      {!isEmpty && rendered.data !== undefined && <LiveProse {...rendered.data} isBeside={isBeside} />}
      <Attachments
        attachments={attachments.map(({ description, alt = '', ...file }) => ({
          ...file,
          description: description.trim() || null,
          alt: alt.trim() || null,
          // Shown in their original size, because smaller ones may not exist yet.
          width: null,
          height: null,
          placeholder: null,
        }))}
      />
      <Meta
        post={{ isPinned: false, authorUsername: null, tags: draft.tags }}
        date={<bdi>{publishedOn || 'Today'}</bdi>}
      />
    </article>
  );
}
