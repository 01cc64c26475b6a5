import {
  beyondPreview,
  gallerySizes,
  narrowScreens,
  narrowVideo,
  pictureSizes,
  pictureSources,
  previewPictures,
  shownName,
  videoPoster,
} from '../../contract/files.ts';
import type { Post } from '../../contract/post.ts';

declare module 'react' {
  interface VideoHTMLAttributes<T> {
    /** Chromium loads such a video, and its poster, when the reader comes near it. */
    loading?: 'lazy';
  }
}

type Attachment = Omit<Post['attachments'][number], 'size'>;

/**
 * The attachments of a post: pictures, video, audio; anything else as a link (specification section 2).
 * Consecutive pictures form a grid, like those of one paragraph (decision 45).
 */
export function Attachments({ attachments }: { attachments: readonly Attachment[] }) {
  if (attachments.length === 0) return null;
  return (
    <div className="attachments">
      {inRows(attachments).map(row =>
        row.length === 1 ? (
          row.map(attachment => <Figure key={attachment.url} attachment={attachment} />)
        ) : (
          <div key={row[0]?.url} className="gallery">
            {row.map((attachment, index) => (
              <Figure
                key={attachment.url}
                attachment={attachment}
                more={index === previewPictures - 1 ? beyondPreview(row.length) : 0}
                sizes={gallerySizes}
              />
            ))}
          </div>
        ),
      )}
    </div>
  );
}

const isPicture = ({ type }: Attachment) => type.startsWith('image/') && type !== 'image/svg+xml';

/** The attachments, with consecutive pictures grouped. */
function inRows(attachments: readonly Attachment[]): Attachment[][] {
  const rows: Attachment[][] = [];
  for (const attachment of attachments) {
    const row = rows.at(-1);
    if (row?.every(isPicture) && isPicture(attachment)) row.push(attachment);
    else rows.push([attachment]);
  }
  return rows;
}

type FigureProps = { attachment: Attachment; more?: number; sizes?: string };

function Figure({ attachment, more = 0, sizes = pictureSizes }: FigureProps) {
  return (
    <figure data-more={more || undefined}>
      <Medium attachment={attachment} sizes={sizes} />
      {attachment.description && <figcaption dir="auto">{attachment.description}</figcaption>}
    </figure>
  );
}

function Medium({ attachment, sizes }: { attachment: Attachment; sizes: string }) {
  const { name, url, type, description, alt, thumbnail, width, height, placeholder } = attachment;
  const isOurs = url.startsWith('/files/');
  // A prepared file has another type than the upload; the browser learns it from the first bytes.
  const playedType = isOurs ? undefined : type;
  if (isPicture(attachment)) {
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
        sizes={sources && sizes}
        src={url}
        // A file's name tells readers nothing.
        alt={alt ?? description ?? ''}
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
          loading="lazy"
          // A file's name tells readers nothing, as above.
          aria-label={description || 'Video'}
          poster={thumbnail ?? (isOurs ? videoPoster(url) : undefined)}
          className={width !== null && height !== null && height > width ? 'tall' : undefined}
          width={width ?? undefined}
          height={height ?? undefined}
        >
          {isOurs && <source src={narrowVideo(url)} media={narrowScreens} />}
          <source src={url} type={playedType} />
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
        {!description && (
          <p className="file-name" dir="auto">
            {shownName(name, type)}
          </p>
        )}
        {/* biome-ignore lint/a11y/useMediaCaption: as above */}
        <audio controls preload="metadata" aria-label={description || shownName(name, type)}>
          <source src={url} type={playedType} />
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
