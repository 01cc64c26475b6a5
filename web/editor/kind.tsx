import { descriptionMaxCharacters, titleMaxCharacters } from '../../contract/constants.ts';
import { Line } from './text/line.tsx';
import { TypeToggle } from './type-toggle.tsx';
import type { Draft } from './unsaved/draft.ts';

type KindProps = {
  draft: Draft;
  /** Errors by field. */
  errors: Record<string, string>;
  onChange(part: Partial<Draft>): void;
};

/** The choice between short post and essay, and the other fields of an essay. */
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
