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
  const { url } = pictures.find(picture => picture.url === chosen) ?? { url: undefined };
  return (
    <div className="card-picture">
      <label htmlFor={id}>Beside its preview on the timeline</label>
      <select
        id={id}
        className="input"
        value={chosen === 'none' ? chosen : (url ?? '')}
        onChange={({ currentTarget }) => onChoose(currentTarget.value || null)}
      >
        <option value="">The first picture</option>
        {pictures.slice(1).map((picture, index) => (
          // The same picture may stand there twice.
          <option key={`${picture.url} ${picture.from}`} value={picture.url}>
            {[`Picture ${index + 2}`, picture.caption || picture.alt].filter(Boolean).join(': ')}
          </option>
        ))}
        <option value="none">No picture</option>
      </select>
    </div>
  );
}
