import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { operationQuery, useCall } from '../../app/operations.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Prose } from '../../ui/prose.tsx';
import type { Draft, EditorAttachment } from '../unsaved/draft.ts';
import { useLater } from '../use-later.ts';

/** How long typing rests before the server renders. Milliseconds. */
const previewRestMs = 300;

/** The post as its readers will have it: the text is rendered by the server as when it is saved. */
export function Preview({ draft }: { draft: Draft }) {
  const content = useLater(draft.content, previewRestMs);
  const isEmpty = content.trim() === '';
  const rendered = useQuery({
    ...operationQuery(useCall(), 'previewPost', { content }),
    placeholderData: keepPreviousData,
    enabled: !isEmpty,
    // The same text is the same page; only the last few are worth keeping.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 10_000,
  });
  return (
    <article className="article">
      {draft.type === 'essay' && (
        <header>
          <p className="preview-title">{draft.title.trim() || 'Title'}</p>
          <p className="summary">{draft.description.trim() || 'Description'}</p>
        </header>
      )}
      {rendered.isError && <Notice text={`This cannot be shown yet. ${rendered.error.message}`} />}
      {isEmpty ? (
        <p className="status">Nothing to show yet.</p>
      ) : (
        rendered.data !== undefined && <Prose html={rendered.data.html} />
      )}
      {draft.attachments.length > 0 && (
        <div className="attachments">
          {draft.attachments.map(file => (
            <AttachmentPreview key={file.url} file={file} />
          ))}
        </div>
      )}
      <div className="meta">
        <span>Today</span>
        {draft.tags.length > 0 && (
          <ul className="tags" aria-label="Tags">
            {draft.tags.map(tag => (
              <li key={tag}>{tag}</li>
            ))}
          </ul>
        )}
      </div>
    </article>
  );
}

function AttachmentPreview({ file }: { file: EditorAttachment }) {
  const { url, name, type, description, thumbnail } = file;
  const caption = description.trim() !== '' && <figcaption>{description}</figcaption>;
  if (type.startsWith('image/')) {
    return (
      <figure>
        <img src={url} alt={description.trim() || name} />
        {caption}
      </figure>
    );
  }
  if (type.startsWith('video/')) {
    return (
      <figure>
        {/* biome-ignore lint/a11y/useMediaCaption: an author's own video has no captions to offer */}
        <video
          src={url}
          controls
          preload="none"
          poster={thumbnail ?? undefined}
          aria-label={description.trim() || name}
        />
        {caption}
      </figure>
    );
  }
  if (type.startsWith('audio/')) {
    return (
      <figure>
        {/* biome-ignore lint/a11y/useMediaCaption: as above */}
        <audio src={url} controls preload="metadata" aria-label={description.trim() || name} />
        {caption}
      </figure>
    );
  }
  return (
    <a href={url} target="_blank" rel="noopener">
      {description.trim() || name}
    </a>
  );
}
