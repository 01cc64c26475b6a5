import { Combobox } from '@base-ui/react/combobox';
import { useQuery } from '@tanstack/react-query';
import { Plus, X } from 'lucide-react';
import { useId, useRef, useState } from 'react';
import { tagMaxCharacters, tagsPerPost } from '../../contract/constants.ts';
import { tagKey, tagName } from '../../contract/tag-name.ts';
import { operationQuery, useCall } from '../app/operations.tsx';

const isSame = (a: string, b: string) => tagKey(a) === tagKey(b);

type TagEntryProps = { tags: readonly string[]; onChange(tags: string[]): void; error: string | undefined };

/** The tags of a post: the known ones are suggested while one types, and a new one is made by Enter or a comma. */
export function TagEntry({ tags, onChange, error }: TagEntryProps) {
  const id = useId();
  const known = useQuery(operationQuery(useCall(), 'getTags', {}));
  const [text, setText] = useState('');
  const [isOpen, setOpen] = useState(false);
  const highlighted = useRef<string>(undefined);
  /** Whether what was typed last has become a tag, by its comma. */
  const isAdded = useRef(false);
  const typed = tagName(text);
  const names = known.data?.tags.map(tag => tag.name) ?? [];
  const offered = names.filter(
    name => tagKey(name).includes(tagKey(typed)) && !tags.some(tag => isSame(tag, name)),
  );
  const isNew = typed !== '' && ![...names, ...tags].some(name => isSame(name, typed));
  const items = isNew ? [...offered, typed] : offered;

  const add = (names: readonly string[]) => {
    const added = [...tags];
    for (const name of names.map(tagName)) {
      if (name === '' || added.some(tag => isSame(tag, name))) continue;
      // A tag keeps the spelling that the site knows.
      added.push(known.data?.tags.find(tag => isSame(tag.name, name))?.name ?? name);
    }
    setText('');
    // What comes next is offered when it is typed; a list without anything in it would only stand in the way.
    setOpen(false);
    if (added.length !== tags.length) onChange(added.slice(0, tagsPerPost));
  };
  return (
    <div className="field">
      <label htmlFor={id}>Tags</label>
      <Combobox.Root
        multiple
        items={items}
        filter={null}
        value={[...tags]}
        open={isOpen && items.length > 0}
        onOpenChange={(open, { reason }) => setOpen(open && !(reason === 'input-change' && isAdded.current))}
        inputValue={text}
        onInputValueChange={value => {
          isAdded.current = value.includes(',');
          if (isAdded.current) add(value.split(','));
          else setText(value.slice(0, tagMaxCharacters));
        }}
        onValueChange={(next: string[]) => {
          const added = next.filter(tag => !tags.includes(tag));
          if (added.length > 0) add(added);
          else onChange(next);
        }}
        onItemHighlighted={(item: string | undefined) => {
          highlighted.current = item;
        }}
      >
        <Combobox.Chips className="input chips" aria-label="Chosen tags">
          {tags.map(tag => (
            <Combobox.Chip key={tag} className="chip picked" aria-label={tag}>
              {tag}
              <Combobox.ChipRemove aria-label={`Remove ${tag}`}>
                <X aria-hidden="true" />
              </Combobox.ChipRemove>
            </Combobox.Chip>
          ))}
          <Combobox.Input
            id={id}
            aria-describedby={error === undefined ? `${id}-hint` : `${id}-error`}
            aria-invalid={error === undefined ? undefined : true}
            autoCapitalize="none"
            onKeyDown={event => {
              if (event.key !== 'Enter') return;
              // Enter never sends the post from here.
              event.preventDefault();
              if (highlighted.current === undefined) add([text]);
            }}
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
      <p className="hint" id={`${id}-hint`}>
        Without tags everybody reads it. Enter or a comma adds a tag.
      </p>
      {known.isError && (
        <p className="error" role="alert">
          Failed to load the tags. {known.error.message} A tag can be written all the same.
        </p>
      )}
      {error !== undefined && (
        <p className="error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}
