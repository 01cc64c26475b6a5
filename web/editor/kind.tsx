import { descriptionMaxCharacters, titleMaxCharacters } from '../../contract/constants.ts';
import { Line } from './text/line.tsx';
import { TypeToggle } from './type-toggle.tsx';
import type { Draft } from './unsaved/draft.ts';

type KindProps = {
  draft: Draft;
  /** What is wrong, by field. */
  errors: Record<string, string>;
  onChange(part: Partial<Draft>): void;
};

/** Short post or essay, and what an essay has beside its text. */
export function Kind({ draft, errors, onChange }: KindProps) {
  return (
    <>
      <TypeToggle type={draft.type} onChange={type => onChange({ type })} />
      {draft.type === 'essay' && (
        <div className="form">
          <Line
            name="title"
            label="Title"
            maxLength={titleMaxCharacters}
            value={draft.title}
            error={errors.title}
            onChange={title => onChange({ title })}
          />
          <Line
            name="description"
            label="Description"
            maxLength={descriptionMaxCharacters}
            value={draft.description}
            error={errors.description}
            onChange={description => onChange({ description })}
          />
        </div>
      )}
    </>
  );
}
