import { isCameraName } from '../../contract/camera-name.ts';
import { pictureSizes, pictureSources } from '../../contract/files.ts';
import type { Post } from '../../contract/posts.ts';

type Attachment = Omit<Post['attachments'][number], 'size'>;

/** The attachments of a post: pictures, video, audio; anything else as a link (specification section 2). */
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
  const { name, url, type, description, thumbnail, width, height, placeholder } = attachment;
  const label = description || (isCameraName(name) ? '' : name);
  if (type.startsWith('image/') && type !== 'image/svg+xml') {
    const sources = width === null ? undefined : pictureSources(url, type, width);
    return (
      <img
        data-tiny={placeholder ?? undefined}
        // The browser may have changed the style of the picture before React hydrates.
        suppressHydrationWarning
        width={width ?? undefined}
        height={height ?? undefined}
        // Before `src`: React sets attributes in order, and the browser must fetch only one size.
        srcSet={sources}
        sizes={sources && pictureSizes}
        src={url}
        alt={label}
        loading="lazy"
        decoding="async"
      />
    );
  }
  if (type.startsWith('video/')) {
    return (
      <>
        {/* biome-ignore lint/a11y/useMediaCaption: what was uploaded has no captions; its description stands below */}
        <video
          controls
          preload="none"
          aria-label={label || 'Video'}
          poster={thumbnail ?? undefined}
          className={width !== null && height !== null && height > width ? 'tall' : undefined}
          width={width ?? undefined}
          height={height ?? undefined}
        >
          <source src={url} type={type} />
          <a href={url}>{name}</a>
        </video>
        {thumbnail === null && !description && (
          <span className="printed" hidden>
            {`Video: ${name}`}
          </span>
        )}
      </>
    );
  }
  if (type.startsWith('audio/')) {
    return (
      <>
        <p className="file-name" dir="auto">
          {name}
        </p>
        {/* biome-ignore lint/a11y/useMediaCaption: as above */}
        <audio controls preload="none" aria-label={label || name}>
          <source src={url} type={type} />
          <a href={url}>{name}</a>
        </audio>
      </>
    );
  }
  return (
    <a href={url} target="_blank" rel="noopener">
      {name}
      <span className="hidden"> (opens in a new tab)</span>
    </a>
  );
}
