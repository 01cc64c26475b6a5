import { useId } from 'react';
import { picturesIn } from './pictures-in-text.ts';

type CardPictureProps = {
  content: string;
  /** An address in the text, or `none`; null for the first picture. */
  chosen: string | null;
  onChoose(chosen: string | null): void;
};

/** Which picture of an essay stands beside its preview on the timeline. */
export function CardPicture({ content, chosen, onChoose }: CardPictureProps) {
  const id = useId();
  const pictures = picturesIn(content);
  // One that the text has lost makes room for the first.
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
          // The same picture may stand there twice.
          <option key={`${picture.url} ${picture.from}`} value={picture.url}>
            {[`Picture ${index + 1}`, picture.caption || picture.alt].filter(Boolean).join(': ')}
          </option>
        ))}
        <option value="none">No picture</option>
      </select>
    </div>
  );
}
