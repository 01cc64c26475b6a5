import { useId } from 'react';
import { descriptionMaxCharacters, titleMaxCharacters } from '../../contract/constants.ts';
import { Line } from './text/line.tsx';
import type { Draft } from './unsaved/draft.ts';

type KindProps = {
  draft: Draft;
  errors: Record<string, string>;
  onChange(part: Partial<Draft>): void;
};

/** The choice between short post and essay, and the other fields of an essay. */
export function Kind({ draft, errors, onChange }: KindProps) {
  return (
    <>
      <Choice
        legend="Type"
        isLegendHidden
        options={types}
        value={draft.type}
        onChange={type => onChange({ type })}
      />
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

/** Where an essay is shown. Below its text: on a phone the text begins further up. */
export function ShownIn({ draft, onChange }: Pick<KindProps, 'draft' | 'onChange'>) {
  return (
    <Choice
      legend="Shown in"
      options={places}
      value={draft.shownIn ?? 'timeline'}
      onChange={shownIn => onChange({ shownIn })}
    />
  );
}

const types = { short: 'Short Post', essay: 'Essay' } as const;

/** An essay outside of the timeline is a page, which every other page links to. */
const places = { timeline: 'Timeline', navigation: 'Navigation', footer: 'Footer' } as const;

type ChoiceProps<Value extends string> = {
  legend: string;
  isLegendHidden?: boolean;
  /** The name of each value. */
  options: Record<Value, string>;
  value: Value;
  onChange(value: Value): void;
};

function Choice<Value extends string>({
  legend,
  isLegendHidden,
  options,
  value,
  onChange,
}: ChoiceProps<Value>) {
  const name = useId();
  return (
    <fieldset className="segments">
      <legend className={isLegendHidden ? 'hidden' : undefined}>{legend}</legend>
      {(Object.keys(options) as Value[]).map(each => (
        <label key={each}>
          <input type="radio" name={name} checked={value === each} onChange={() => onChange(each)} />
          {options[each]}
        </label>
      ))}
    </fieldset>
  );
}
