import { useId } from 'react';
import type { Draft } from './unsaved/draft.ts';

const types = { short: 'Short Post', essay: 'Essay' } as const;

export function TypeToggle({ type, onChange }: { type: Draft['type']; onChange(type: Draft['type']): void }) {
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
