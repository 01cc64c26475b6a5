import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { AppError } from '../../contract/errors.ts';
import { BusyButton } from '../ui/busy-button.tsx';
import { RowAction } from '../ui/row-action.tsx';
import { useFocusReturn } from '../ui/use-focus-return.ts';
import { EffectText, type Preview } from './preview.tsx';
import { TagPicker } from './tag-picker.tsx';

export type TagsEdit = ReturnType<typeof useTagsEdit>;

/**
 * An edit of somebody's tags until they are saved: the chosen tags, and the version that the admin has seen.
 * The account may be loaded again during the edit: its new version counts as seen only once a save was
 * refused because of it, which the admin is told. `versionNow` looks it up where it is loaded: `latest` is
 * that of the last rendering, which may be a moment older.
 */
export function useTagsEdit(
  tags: readonly string[],
  latest: string | undefined,
  versionNow: () => string | undefined,
) {
  type Edit = { chosen: readonly string[]; version: string | undefined };
  const [editing, setEditing] = useState<Edit | null>(null);
  const { chosen, version } = editing ?? { chosen: tags, version: latest };
  const opener = useRef<HTMLButtonElement>(null);
  useFocusReturn(opener, editing !== null);
  const stop = () => setEditing(null);
  return {
    isEditing: editing !== null,
    chosen,
    version,
    isChanged: chosen.length !== tags.length || chosen.some(name => !tags.includes(name)),
    /** The button that begins the edit, and gets the focus back. */
    opener,
    begin: () => setEditing({ chosen: tags, version: latest }),
    /** Sets the chosen tags, which begins an edit without a button. */
    choose: (next: readonly string[]) => setEditing({ chosen: next, version }),
    stop,
    /** The callbacks for the end of a save: the chosen tags stay if it failed. */
    afterSave: {
      onSuccess: stop,
      onError: (error: Error) => {
        if (editing === null || !(error instanceof AppError) || error.code !== 'aborted') return;
        setEditing({ chosen, version: versionNow() ?? version });
      },
    },
  };
}

type TagsCellProps = {
  /** The accessible names of the choice, of the button that saves it, and of the row. */
  label: string;
  saveLabel: string;
  name: string;
  listed: readonly string[];
  edit: TagsEdit;
  /** The effect of the change, if it is shown. */
  preview: Preview | undefined;
  /** A further choice about the change. */
  choice?: ReactNode;
  isSaving: boolean;
  onSave(): void;
  /** Buttons that act at once, apart from those of the edit. */
  children?: ReactNode;
};

/** The cells of a row while its tags are edited. */
export function TagsCell({
  label,
  saveLabel,
  name,
  listed,
  edit,
  preview,
  choice,
  isSaving,
  onSave,
  children,
}: TagsCellProps) {
  const effectId = useId();
  const cell = useRef<HTMLTableCellElement>(null);
  // The button that opened the editor is removed, so the focus moves: to the field for tags, where there is
  // one, because a second Enter on a chosen tag would take it away.
  useEffect(() => {
    const field = cell.current?.querySelector<HTMLElement>('.chips input');
    (field ?? cell.current?.querySelector<HTMLElement>('button, input'))?.focus();
  }, []);
  return (
    <td
      ref={cell}
      colSpan={2}
      className="editing"
      onKeyDown={event => event.key === 'Escape' && !isSaving && edit.stop()}
    >
      <TagPicker
        label={label}
        listed={listed}
        chosen={edit.chosen}
        // The save ends the edit: choices made during it would be lost.
        isDisabled={isSaving}
        onChange={edit.choose}
      />
      {preview !== undefined && <EffectText id={effectId} words={preview.words} />}
      {choice}
      <div className="acts">
        <BusyButton
          className="button primary"
          isBusy={isSaving}
          aria-label={saveLabel}
          aria-describedby={preview && effectId}
          disabled={preview?.isUncertain}
          onClick={onSave}
        >
          {isSaving ? 'Saving...' : 'Save'}
        </BusyButton>
        <RowAction verb="Cancel" name={`editing ${name}`} disabled={isSaving} onClick={edit.stop} />
      </div>
      {children !== undefined && <div className="acts further">{children}</div>}
    </td>
  );
}
