import { useId } from 'react';
import { descriptionMaxCharacters, titleMaxCharacters } from '../../contract/constants.ts';
import { Line } from './text/line.tsx';
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
            most={titleMaxCharacters}
            value={draft.title}
            error={errors.title}
            onChange={title => onChange({ title })}
          />
          <Line
            name="description"
            label="Description"
            most={descriptionMaxCharacters}
            value={draft.description}
            error={errors.description}
            onChange={description => onChange({ description })}
          />
        </div>
      )}
    </>
  );
}

const types = { short: 'Short Post', essay: 'Essay' } as const;

function TypeToggle({ type, onChange }: { type: Draft['type']; onChange(type: Draft['type']): void }) {
  const name = useId();
  return (
    <fieldset className="segments">
      <legend className="hidden">Type</legend>
      {(Object.keys(types) as Draft['type'][]).map(kind => (
        <label key={kind}>
          <input type="radio" name={name} checked={type === kind} onChange={() => onChange(kind)} />
          {types[kind]}
        </label>
      ))}
    </fieldset>
  );
}
