import { Combobox } from '@base-ui/react/combobox';
import type { BaseUIEvent } from '@base-ui/react/types';
import { Plus, X } from 'lucide-react';
import { type KeyboardEvent, useRef, useState } from 'react';
import { tagMaxCharacters } from '../../contract/constants.ts';
import { tagKey, tagName } from '../../contract/tag-name.ts';

const isSame = (a: string, b: string) => tagKey(a) === tagKey(b);
const has = (names: readonly string[], name: string) => names.some(other => isSame(other, name));

type TagInputProps = {
  id?: string;
  /** The accessible name and the placeholder, if no label element names the field. */
  label?: string;
  describedBy?: string;
  isInvalid?: boolean;
  isDisabled?: boolean;
  /** The tags of the site, for suggestions. */
  known: readonly string[];
  chosen: readonly string[];
  /** Whether a tag that is not known may be added, by Enter, a comma or leaving the field. */
  canCreate?: boolean;
  /** The text for a chosen tag. */
  nameOf?(tag: string): string;
  onChange(tags: string[]): void;
};

/**
 * Chosen tags, and a field that suggests more while typing. It works only in the browser: on the server Base UI renders
 * inline styles, which the content policy refuses.
 */
export function TagInput({
  id,
  label,
  describedBy,
  isInvalid = false,
  isDisabled = false,
  known,
  chosen,
  canCreate = false,
  nameOf = tag => tag,
  onChange,
}: TagInputProps) {
  const [text, setText] = useState('');
  const [isOpen, setOpen] = useState(false);
  const highlighted = useRef<string>(undefined);
  /** Whether a comma has just added the typed tag. */
  const isAdded = useRef(false);
  const typed = tagName(text);
  const suggested = known.filter(name => tagKey(name).includes(tagKey(typed)) && !has(chosen, name));
  const isNew = canCreate && typed !== '' && !has([...known, ...chosen], typed);
  const items = isNew ? [...suggested, typed] : suggested;

  const add = (names: readonly string[]) => {
    const added = [...chosen];
    for (const name of names.map(tagName)) {
      if (name === '' || has(added, name)) continue;
      // A known tag keeps its spelling.
      const spelling = known.find(other => isSame(other, name)) ?? (canCreate ? name : undefined);
      if (spelling !== undefined) added.push(spelling);
    }
    setText('');
    // Suggestions appear again with the next typing; an empty list would only be in the way.
    setOpen(false);
    if (added.length !== chosen.length) onChange(added);
  };
  const onKeyDown = (event: BaseUIEvent<KeyboardEvent<HTMLInputElement>>) => {
    if (event.key === 'Enter') {
      // It never submits the form around it.
      event.preventDefault();
      if (highlighted.current !== undefined) return;
      const [only, another] = suggested;
      const isOnly = !canCreate && typed !== '' && only !== undefined && another === undefined;
      add([isOnly ? only : text]);
    } else if (event.key === 'Escape') {
      // Base UI would remove every chosen tag.
      event.preventBaseUIHandler();
      // With open suggestions it closes only these, not a dialog around the field.
      if (isOpen) event.stopPropagation();
      setOpen(false);
    }
  };
  return (
    <Combobox.Root
      multiple
      items={items}
      filter={null}
      value={[...chosen]}
      disabled={isDisabled}
      open={isOpen && items.length > 0}
      onOpenChange={(open, { reason }) => setOpen(open && !(reason === 'input-change' && isAdded.current))}
      inputValue={text}
      onInputValueChange={value => {
        isAdded.current = value.includes(',');
        if (isAdded.current) add(value.split(','));
        else setText(value.slice(0, tagMaxCharacters));
      }}
      onValueChange={(next: string[]) => {
        const added = next.filter(tag => !chosen.includes(tag));
        if (added.length > 0) add(added);
        else onChange(next);
      }}
      onItemHighlighted={(item: string | undefined) => {
        highlighted.current = item;
      }}
    >
      <Combobox.Chips className="input chips" aria-label="Chosen tags">
        {chosen.map(tag => (
          <Combobox.Chip key={tag} className="chip picked" aria-label={nameOf(tag)}>
            {nameOf(tag)}
            <Combobox.ChipRemove aria-label={`Remove ${tag}`}>
              <X aria-hidden="true" />
            </Combobox.ChipRemove>
          </Combobox.Chip>
        ))}
        <Combobox.Input
          id={id}
          aria-label={label}
          placeholder={label}
          aria-describedby={describedBy}
          aria-invalid={isInvalid || undefined}
          autoCapitalize="none"
          onKeyDown={onKeyDown}
          onBlur={() => add([text])}
        />
      </Combobox.Chips>
      <Combobox.Portal>
        <Combobox.Positioner className="suggestions" sideOffset={4} align="start">
          <Combobox.Popup className="panel">
            <Combobox.List aria-label="Known tags">
              {(item: string) => (
                <Combobox.Item key={item} value={item} className="suggestion">
                  {isNew && item === typed ? (
                    <>
                      <Plus aria-hidden="true" /> New tag “{item}”
                    </>
                  ) : (
                    item
                  )}
                </Combobox.Item>
              )}
            </Combobox.List>
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  );
}
