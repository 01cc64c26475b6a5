import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { operationQuery, useCall } from '../app/queries.tsx';
import { TagInput } from '../ui/tag-input.tsx';
import { useIsInBrowser } from '../ui/use-is-in-browser.ts';
import { useReport } from './layout.tsx';

/** The names in the tag list; a failure to load them is reported. */
export function useTagNames(): readonly string[] {
  const report = useReport();
  const { data, error } = useQuery(operationQuery(useCall(), 'getManagedTags', {}));
  useEffect(() => {
    if (error !== null) report.failed('Failed to load the tags.', error);
  }, [error, report]);
  return data?.tags.map(tag => tag.name) ?? [];
}

/** Tags in the form of a call that allows them to somebody. */
export type NamedTags = { tags: string[]; tagIds: (string | null)[] };

/**
 * Names tags with the ids that they had when the page first listed them, so that another tag that got one of
 * the names since is not allowed by mistake.
 */
export function useNamedTags(): (tags: readonly string[]) => NamedTags {
  const { data } = useQuery(operationQuery(useCall(), 'getManagedTags', {}));
  const [ids, setIds] = useState<ReadonlyMap<string, string>>(new Map());
  const unknown = data?.tags.filter(({ name }) => !ids.has(name)) ?? [];
  if (unknown.length > 0) setIds(new Map([...ids, ...unknown.map(({ name, id }) => [name, id] as const)]));
  return tags => ({ tags: [...tags], tagIds: tags.map(name => ids.get(name) ?? null) });
}

/**
 * Up to this many tags are all shown as buttons; of more, only the chosen ones, and a field to find others.
 */
const buttonsAtMost = 12;

type TagPickerProps = {
  /** The accessible name, which says whose tags they are. */
  label: string;
  /** The names in the tag list. */
  listed: readonly string[];
  chosen: readonly string[];
  isDisabled?: boolean;
  onChange(chosen: string[]): void;
  /** What a chosen tag and another one is called, where a pressed button does not say it. */
  stateOf?: (isChosen: boolean) => string;
};

/**
 * Chooses among the site's tags. A chosen tag that was deleted is shown, too, because people may still read
 * posts with it.
 */
export function TagPicker({ label, listed, chosen, isDisabled = false, onChange, stateOf }: TagPickerProps) {
  const isInBrowser = useIsInBrowser();
  const nameOf = (tag: string) => (listed.includes(tag) ? tag : `${tag} (deleted)`);
  if (listed.length === 0 && chosen.length === 0) return <p className="sub">No tags yet.</p>;
  if (listed.length > buttonsAtMost) {
    return !isInBrowser ? (
      <input
        className="input"
        aria-label={label}
        placeholder={label}
        value={chosen.map(nameOf).join(', ')}
        readOnly
      />
    ) : (
      <TagInput
        label={label}
        known={listed}
        chosen={chosen}
        isDisabled={isDisabled}
        nameOf={nameOf}
        onChange={onChange}
      />
    );
  }
  const toggle = (name: string) =>
    onChange(chosen.includes(name) ? chosen.filter(other => other !== name) : [...chosen, name]);
  return (
    <ul className="tags" aria-label={label}>
      {[...listed, ...chosen.filter(name => !listed.includes(name))].map(name => (
        <li key={name}>
          <button
            type="button"
            className="chip"
            aria-pressed={chosen.includes(name)}
            disabled={isDisabled}
            onClick={() => toggle(name)}
          >
            {nameOf(name)}
            {stateOf !== undefined && ` (${stateOf(chosen.includes(name))})`}
          </button>
        </li>
      ))}
    </ul>
  );
}
