import { useId } from 'react';
import { picturesIn } from './pictures-in-text.ts';

type CardPictureProps = {
  content: string;
  /** An address in the text, or `none`; null for the first picture. */
  chosen: string | null;
  onChoose(chosen: string | null): void;
};

/** The choice of the picture beside an essay's preview on the timeline. */
export function CardPicture({ content, chosen, onChoose }: CardPictureProps) {
  const id = useId();
  const pictures = picturesIn(content);
  // If the chosen picture is no longer in the text, the first one is used.
  const isThere = chosen === 'none' || pictures.some(({ url }) => url === chosen);
  return (
    <div className="card-picture">
      <label htmlFor={id}>Picture beside the preview</label>
      <select
        id={id}
        className="input"
        value={isThere && chosen !== null ? chosen : ''}
        onChange={({ currentTarget }) => onChoose(currentTarget.value || null)}
      >
        <option value="">Automatic: the first picture</option>
        {pictures.map((picture, index) => (
          // The same picture may occur twice.
          <option key={`${picture.url} ${picture.from}`} value={picture.url}>
            {[`Picture ${index + 1}`, picture.caption || picture.alt].filter(Boolean).join(': ')}
          </option>
        ))}
        <option value="none">No picture</option>
      </select>
    </div>
  );
}
