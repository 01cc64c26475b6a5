import type { Ref } from 'react';

type FileChooserProps = {
  /** The input: a click on it opens the browser's dialog. */
  ref: Ref<HTMLInputElement>;
  /** The accessible name. */
  label: string;
  /** The types of files that the dialog offers; all without it. */
  accept?: string;
  /** Whether several files can be chosen. */
  isMany?: boolean;
  onFiles(files: File[]): void;
};

/** A hidden input that opens the browser's dialog for files. The same file can be chosen again. */
export function FileChooser({ ref, label, accept, isMany = false, onFiles }: FileChooserProps) {
  return (
    <input
      ref={ref}
      type="file"
      hidden
      multiple={isMany}
      accept={accept}
      aria-label={label}
      onChange={event => {
        const files = [...(event.currentTarget.files ?? [])];
        event.currentTarget.value = '';
        if (files.length > 0) onFiles(files);
      }}
    />
  );
}
