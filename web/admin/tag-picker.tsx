import { type KeyboardEvent, useId, useState } from 'react';
import { tagKey } from '../../contract/tag-name.ts';

/** Up to this many tags all stand there to be clicked; of more, the chosen ones and a box to find others. */
const chipsAtMost = 12;

type TagPickerProps = {
  /** Whose tags they are, for those who cannot see the row. */
  label: string;
  /** The names in the tag list. */
  listed: readonly string[];
  chosen: readonly string[];
  isDisabled?: boolean;
  onChange(chosen: string[]): void;
};

/** Chooses among the site's tags. A chosen one that has been deleted is shown, because it still lets people read. */
export function TagPicker({ label, listed, chosen, isDisabled = false, onChange }: TagPickerProps) {
  const isShort = listed.length <= chipsAtMost;
  const shown = isShort ? [...listed, ...chosen.filter(name => !listed.includes(name))] : chosen;
  const toggle = (name: string) =>
    onChange(chosen.includes(name) ? chosen.filter(other => other !== name) : [...chosen, name]);
  if (listed.length === 0 && chosen.length === 0) return <p className="sub">There are no tags yet.</p>;
  return (
    <ul className="tags" aria-label={label}>
      {shown.map(name => (
        <li key={name}>
          <button
            type="button"
            className="chip"
            aria-pressed={chosen.includes(name)}
            disabled={isDisabled}
            onClick={() => toggle(name)}
          >
            {listed.includes(name) ? name : `${name} (deleted)`}
          </button>
        </li>
      ))}
      {!isShort && (
        <li>
          <TagBox
            label={label}
            names={listed.filter(name => !chosen.includes(name))}
            isDisabled={isDisabled}
            onAdd={toggle}
          />
        </li>
      )}
    </ul>
  );
}

type TagBoxProps = {
  label: string;
  names: readonly string[];
  isDisabled: boolean;
  onAdd(name: string): void;
};

function TagBox({ label, names, isDisabled, onAdd }: TagBoxProps) {
  const id = useId();
  const [text, setText] = useState('');
  const [isOpen, setOpen] = useState(false);
  const add = (typed: string) => {
    const wanted = tagKey(typed);
    const name = names.find(candidate => tagKey(candidate) === wanted);
    if (name === undefined) return false;
    onAdd(name);
    setText('');
    return true;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    const [only, another] = names.filter(name => tagKey(name).includes(tagKey(text)));
    if (!add(text) && only !== undefined && another === undefined) add(only);
  };
  return (
    <>
      <input
        className="input small"
        list={id}
        placeholder="Add tag"
        aria-label={`Add to ${label}`}
        value={text}
        disabled={isDisabled}
        onFocus={() => setOpen(true)}
        onKeyDown={onKeyDown}
        onChange={event => {
          // A suggestion that was picked arrives whole, without a key.
          const isPicked = !(event.nativeEvent instanceof InputEvent) || event.nativeEvent.data === null;
          if (!isPicked || !add(event.target.value)) setText(event.target.value);
        }}
      />
      <datalist id={id}>{isOpen && names.map(name => <option key={name} value={name} />)}</datalist>
    </>
  );
}
