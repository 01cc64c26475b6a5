import { Combobox } from '@base-ui/react/combobox';
import type { BaseUIEvent } from '@base-ui/react/types';
import { Plus, X } from 'lucide-react';
import { type KeyboardEvent, useRef, useState } from 'react';
import { tagMaxCharacters } from '../../contract/constants.ts';
import { tagKey, tagName } from '../../contract/tag-name.ts';
import { firstCharacters } from '../../contract/text.ts';
import { isComposing } from './is-composing.ts';

const isSame = (a: string, b: string) => tagKey(a) === tagKey(b);
const has = (names: readonly string[], name: string) => names.some(other => isSame(other, name));

type TagInputProps = {
  id?: string;
  /** The name of the field in its form. */
  name?: string;
  /** The accessible name and the placeholder, if no label element names the field. */
  label?: string;
  /**
   * The id of the label element: while suggestions are open Base UI hides it, and a hidden label names only
   * what refers to it.
   */
  labelledBy?: string;
  describedBy?: string;
  isInvalid?: boolean;
  isDisabled?: boolean;
  /** The tags of the site, for suggestions. */
  known: readonly string[];
  chosen: readonly string[];
  /** Whether an unknown tag may be added, by Enter, a comma or leaving the field. */
  canCreate?: boolean;
  /**
   * Whether an unknown tag stays even if it may not be created: the server then refuses the save, so nobody
   * saves without it unnoticed.
   */
  keepsUnknown?: boolean;
  /** The text for a chosen tag. */
  nameOf?(tag: string): string;
  onChange(tags: string[]): void;
};

/**
 * The chosen tags and more: a known tag keeps its spelling, and an unknown one is added only if that is
 * allowed.
 */
function withTags(
  { chosen, known, canCreate, keepsUnknown }: TagInputProps,
  names: readonly string[],
): string[] {
  const all = [...chosen];
  for (const name of names.map(tagName)) {
    if (name === '' || has(all, name)) continue;
    const spelling =
      known.find(other => isSame(other, name)) ?? (canCreate || keepsUnknown ? name : undefined);
    if (spelling !== undefined) all.push(spelling);
  }
  return all;
}

/**
 * The suggestions for a typed text, most likely first: the tag of this name, those that begin with it, the
 * new tag (`isNew`), those that contain it elsewhere.
 */
function suggestions(names: readonly string[], typed: string, isNew: boolean): string[] {
  const key = tagKey(typed);
  const found = names.filter(name => tagKey(name).includes(key));
  const same = found.filter(name => isSame(name, typed));
  const beginning = found.filter(name => tagKey(name).startsWith(key) && !isSame(name, typed));
  const others = found.filter(name => !tagKey(name).startsWith(key));
  return [...same, ...beginning, ...(isNew ? [typed] : []), ...others];
}

type FieldKey = BaseUIEvent<KeyboardEvent<HTMLInputElement>>;

/** Handles keys before Base UI, the form or the dialog around the field. */
function takeKey(
  event: FieldKey,
  { isShown, onEnter, onEscape }: { isShown: boolean; onEnter(): void; onEscape(): void },
): void {
  if (isComposing(event)) {
    // The key is neither for the suggestions nor for the row or dialog around the field.
    event.preventBaseUIHandler();
    event.stopPropagation();
  } else if (event.key === 'Enter') {
    // It never submits the form around it.
    event.preventDefault();
    event.preventBaseUIHandler();
    onEnter();
  } else if (event.key === 'Escape') {
    // Base UI would remove every chosen tag.
    event.preventBaseUIHandler();
    // With open suggestions it closes only these, not a dialog around the field.
    if (isShown) event.stopPropagation();
    onEscape();
  }
}

/**
 * The typed text, its suggestions, and the handling of keys, as properties of the combobox and of its input.
 */
function useTagField(props: TagInputProps) {
  const { known, chosen, canCreate = false, onChange } = props;
  const [text, setText] = useState('');
  const [isOpen, setOpen] = useState(false);
  const highlighted = useRef<string>(undefined);
  /** Whether a comma has just added the typed tag. */
  const isAdded = useRef(false);
  const typed = tagName(text);
  const isNew = canCreate && typed !== '' && !has([...known, ...chosen], typed);
  const items = suggestions(
    known.filter(name => !has(chosen, name)),
    typed,
    isNew,
  );
  const isShown = isOpen && items.length > 0;

  const add = (names: readonly string[]) => {
    const next = withTags(props, names);
    setText('');
    // Suggestions appear again with the next typing; an empty list would only be in the way.
    setOpen(false);
    if (next.length !== chosen.length) onChange(next);
  };
  const keys = {
    isShown,
    // Base UI remembers what was highlighted until the suggestions have faded out.
    onEnter: () => add([(isShown ? highlighted.current : undefined) ?? text]),
    onEscape: () => setOpen(false),
  };
  return {
    newTag: isNew ? typed : undefined,
    input: { onKeyDown: (event: FieldKey) => takeKey(event, keys), onBlur: () => add([text]) },
    root: {
      items,
      value: [...chosen],
      open: isShown,
      onOpenChange: (open: boolean, { reason }: { reason: string }) =>
        setOpen(open && !(reason === 'input-change' && isAdded.current)),
      inputValue: text,
      onInputValueChange: (value: string, { reason }: { reason: string }) => {
        // Base UI empties the field whenever the suggestions close; here `add` does, and Escape keeps the
        // text.
        if (reason === 'input-clear') return;
        isAdded.current = value.includes(',');
        if (isAdded.current) return add(value.split(','));
        setText(firstCharacters(value, tagMaxCharacters));
        // Base UI keeps the first suggestion highlighted, which nobody has chosen in an emptied field.
        if (tagName(value) === '') setOpen(false);
      },
      onValueChange: (next: string[]) => {
        const added = next.filter(tag => !chosen.includes(tag));
        if (added.length > 0) add(added);
        else onChange(next);
      },
      onItemHighlighted: (item: string | undefined) => {
        highlighted.current = item;
      },
    },
  };
}

/**
 * Chosen tags, and a field that suggests more while typing. It works only in the browser: on the server Base
 * UI renders inline styles, which the content policy refuses.
 */
export function TagInput(props: TagInputProps) {
  const {
    id,
    name,
    label,
    labelledBy,
    describedBy,
    isInvalid = false,
    isDisabled = false,
    chosen,
    nameOf = tag => tag,
  } = props;
  const { newTag, input, root } = useTagField(props);
  return (
    <Combobox.Root multiple autoHighlight filter={null} disabled={isDisabled} {...root}>
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
          name={name}
          aria-label={label}
          aria-labelledby={labelledBy}
          placeholder={label}
          aria-describedby={describedBy}
          aria-invalid={isInvalid || undefined}
          autoCapitalize="none"
          {...input}
        />
      </Combobox.Chips>
      <Suggestions newTag={newTag} />
    </Combobox.Root>
  );
}

/** The tags that match what is typed, and perhaps the typed one as a new tag. */
function Suggestions({ newTag }: { newTag: string | undefined }) {
  return (
    <Combobox.Portal>
      <Combobox.Positioner className="suggestions" sideOffset={4} align="start">
        <Combobox.Popup className="panel">
          <Combobox.List aria-label="Known tags">
            {(item: string) => (
              <Combobox.Item key={item} value={item} className="suggestion">
                {item === newTag ? (
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
  );
}
