import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { AppError } from '../../contract/errors.ts';
import { BusyButton } from '../ui/busy-button.tsx';
import { RowAction } from '../ui/row-action.tsx';
import { useFocusReturn } from '../ui/use-focus-return.ts';
import { EffectText, type Preview } from './preview.tsx';
import { TagPicker } from './tag-picker.tsx';

/**
 * The tags that are chosen, and those that the admin knows to be there. The list may be loaded again meanwhile, which
 * changes `seen` only after a refusal that says so.
 */
export type Editing = { chosen: readonly string[]; seen: readonly string[] };
export type TagsEdit = ReturnType<typeof useTagsEdit>;

/**
 * The edit of the tags in a row, from its beginning until they are saved. `tagsNow` looks them up where the list is loaded;
 * the row is only rendered again a moment later.
 */
export function useTagsEdit(tags: readonly string[], tagsNow: () => readonly string[] | undefined) {
  const [editing, setEditing] = useState<Editing | null>(null);
  const opener = useRef<HTMLButtonElement>(null);
  useFocusReturn(opener, editing !== null);
  const stop = () => setEditing(null);
  return {
    editing,
    /** The button that begins the edit, which gets the focus back. */
    opener,
    begin: () => setEditing({ chosen: tags, seen: tags }),
    choose: (chosen: readonly string[]) => setEditing(before => before && { ...before, chosen }),
    stop,
    /** The callbacks of a save: the chosen tags stay until they are saved. */
    onSaved: {
      onSuccess: stop,
      onError: (error: Error) => {
        if (editing === null || !(error instanceof AppError) || error.code !== 'aborted') return;
        const seen = tagsNow() ?? editing.seen;
        // An edit that was begun during the save keeps its own.
        setEditing(before => (before?.seen === editing.seen ? { ...before, seen } : before));
      },
    },
  };
}

type TagsCellProps = {
  /** The accessible names of the choice, of the button that saves it, and of the row. */
  label: string;
  saveLabel: string;
  name: string;
  /** The names in the tag list. */
  listed: readonly string[];
  chosen: readonly string[];
  edit: TagsEdit;
  /** What the change would do, if it is told. */
  preview: Preview | undefined;
  isSaving: boolean;
  onSave(): void;
  /** Further buttons. */
  children?: ReactNode;
};

/** The cells of a row while its tags are edited. */
export function TagsCell({
  label,
  saveLabel,
  name,
  listed,
  chosen,
  edit,
  preview,
  isSaving,
  onSave,
  children,
}: TagsCellProps) {
  const effectId = useId();
  const cell = useRef<HTMLTableCellElement>(null);
  // The button that opened the editor is removed, so the focus moves.
  useEffect(() => cell.current?.querySelector<HTMLElement>('button, input')?.focus(), []);
  return (
    <td ref={cell} colSpan={2} className="editing" onKeyDown={event => event.key === 'Escape' && edit.stop()}>
      <TagPicker label={label} listed={listed} chosen={chosen} onChange={edit.choose} />
      {preview !== undefined && <EffectText id={effectId} words={preview.words} />}
      <div className="acts">
        <BusyButton
          className="quiet"
          isBusy={isSaving}
          aria-label={saveLabel}
          aria-describedby={preview && effectId}
          disabled={preview?.isUncertain}
          onClick={onSave}
        >
          {isSaving ? 'Saving...' : 'Save'}
        </BusyButton>
        <RowAction verb="Cancel" name={`editing ${name}`} onClick={edit.stop} />
        {children}
      </div>
    </td>
  );
}
