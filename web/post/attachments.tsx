import { pictureWidths } from '../../contract/files.ts';
import type { Post } from './query.ts';

type Attachment = Post['attachments'][number];

/** What came with a post: pictures, video, audio; anything else as a link (specification section 2). */
export function Attachments({ attachments }: { attachments: readonly Attachment[] }) {
  if (attachments.length === 0) return null;
  return (
    <div className="attachments">
      {attachments.map(attachment => (
        <figure key={attachment.url}>
          <Medium attachment={attachment} />
          {attachment.description && <figcaption dir="auto">{attachment.description}</figcaption>}
        </figure>
      ))}
    </div>
  );
}

function Medium({ attachment }: { attachment: Attachment }) {
  const { name, url, type, description, thumbnail } = attachment;
  const label = description || name;
  if (type.startsWith('image/') && type !== 'image/svg+xml') {
    return <Picture attachment={attachment} alt={label} />;
  }
  if (type.startsWith('video/')) {
    return (
      // biome-ignore lint/a11y/useMediaCaption: what was uploaded has no captions; its description stands below
      <video controls preload="none" aria-label={label} poster={thumbnail ?? undefined}>
        <source src={url} type={type} />
        <a href={url}>{name}</a>
      </video>
    );
  }
  if (type.startsWith('audio/')) {
    return (
      // biome-ignore lint/a11y/useMediaCaption: as above
      <audio controls preload="none" aria-label={label}>
        <source src={url} type={type} />
        <a href={url}>{name}</a>
      </audio>
    );
  }
  return (
    <a href={url} target="_blank" rel="noopener">
      {name}
      <span className="hidden"> (opens in a new tab)</span>
    </a>
  );
}

/** In as much of its size as the column needs; its space is there before it is. */
function Picture({ attachment: { url, type, width, height }, alt }: { attachment: Attachment; alt: string }) {
  // A GIF may move, and then has one size only.
  const offered = type === 'image/gif' ? [] : pictureWidths.filter(each => width !== null && each < width);
  return (
    <img
      src={url}
      srcSet={
        offered.length === 0
          ? undefined
          : [...offered.map(each => `${url}?width=${each} ${each}w`), `${url} ${width}w`].join(', ')
      }
      sizes="(min-width: 42rem) 37.5rem, 100vw"
      alt={alt}
      width={width ?? undefined}
      height={height ?? undefined}
      loading="lazy"
      decoding="async"
    />
  );
}
