import { sitePictureAt, sitePictures } from '../../contract/site-pictures.ts';
import { useSettings } from './site.tsx';

/** The owner's content above the timeline: a picture, and a line about the site. */
export function Masthead() {
  const { cover, tagline } = useSettings();
  if (cover === '' && tagline === '') return null;
  const width = 1600;
  const height = 1600 / sitePictures.cover.ratio;
  return (
    <section className="masthead" aria-label="Site">
      {cover !== '' && (
        <div className="cover">
          <img
            src={sitePictureAt('cover', cover, width)}
            srcSet={sitePictures.cover.sizes
              .map(size => `${sitePictureAt('cover', cover, size)} ${size}w`)
              .join(', ')}
            sizes="100vw"
            width={width}
            height={height}
            fetchPriority="high"
            alt=""
          />
        </div>
      )}
      {tagline !== '' && (
        <p className="tagline" dir="auto">
          {tagline}
        </p>
      )}
    </section>
  );
}
