import { useEffect, useRef, useState } from 'react';
import { transferLimits } from '../../../contract/constants.ts';
import { AppError } from '../../../contract/errors.ts';
import { type ImportSource, importSources, slotsOf } from '../../../contract/transfer-sources.ts';
import { uploadFile } from '../../storage/client.ts';
import { Field, SelectField } from '../../ui/field.tsx';
import { formatSize } from '../../ui/format-size.ts';
import { NeedsScripts } from '../../ui/needs-scripts.tsx';
import { onForm } from '../../ui/on-form.ts';
import { Section } from '../../ui/section.tsx';
import { SubmitButton } from '../../ui/submit-button.tsx';
import { type Limits, useTransferAction } from './query.ts';

type Chosen = { slot: string; file: File };
type Uploading = { name: string; share: number; isLost: boolean };

const { keptHours } = transferLimits;
const sources = Object.entries(importSources).map(([source, { name }]) => [source, name] as const);

/** Uploads the files of an import, and begins its dry run. */
export function NewImport({ limits }: { limits: Limits }) {
  const [source, setSource] = useState<ImportSource>('markdown');
  const [chosen, setChosen] = useState<readonly Chosen[]>([]);
  const wrong = whatIsWrong(chosen, limits);
  const { check, uploading, cancel } = useCheck();
  const choose = (slot: string, files: readonly File[]) =>
    setChosen(before => [...before.filter(one => one.slot !== slot), ...files.map(file => ({ slot, file }))]);
  return (
    <Section title="Import">
      <p className="lead">
        Import posts from another platform. The files are checked first: you see what they contain before
        anything is imported. A file has at most {mebibytes(limits.maxFileBytes)}; larger ones, and Firebase
        projects, are imported at the command line with <code>coterie import</code>.
      </p>
      <form
        className="form narrow"
        onSubmit={onForm(() => {
          if (wrong === undefined && !check.isPending) check.mutate({ source, chosen });
        })}
      >
        <SelectField
          name="source"
          label="From"
          options={sources}
          value={source}
          disabled={check.isPending}
          onChange={event => {
            setSource(event.target.value as ImportSource);
            setChosen([]);
          }}
        />
        {slotsOf(source).map(([slot, { label, hint, accept, isMany, isRequired }]) => (
          <Field
            key={`${source} ${slot}`}
            type="file"
            name={slot}
            label={label}
            hint={hint}
            accept={accept}
            multiple={isMany}
            required={isRequired}
            disabled={check.isPending}
            onChange={event => choose(slot, [...(event.target.files ?? [])])}
          />
        ))}
        {wrong !== undefined && (
          <p className="error" role="alert">
            {wrong}
          </p>
        )}
        {uploading !== undefined && <Upload {...uploading} onCancel={cancel} />}
        <div className="acts">
          <SubmitButton isBusy={check.isPending}>
            {check.isPending ? 'Uploading...' : 'Upload and check'}
          </SubmitButton>
        </div>
        <p className="small-print">
          The uploaded files are deleted after the import, at the latest after {keptHours} hours.
        </p>
        <NeedsScripts />
      </form>
    </Section>
  );
}

/** The limit of a file in the unit of its setting. */
const mebibytes = (bytes: number) => `${Math.floor(bytes / 1024 / 1024)} MB`;

function whatIsWrong(chosen: readonly Chosen[], { maxFileBytes, freeBytes }: Limits): string | undefined {
  const large = chosen.find(({ file }) => file.size > maxFileBytes);
  if (large !== undefined)
    return `${large.file.name} is larger than ${mebibytes(maxFileBytes)}. Import it at the command line.`;
  const all = chosen.reduce((sum, { file }) => sum + file.size, 0);
  if (all >= freeBytes)
    return `These files have ${formatSize(all)}, and the site has room for ${formatSize(freeBytes)} more.`;
  return undefined;
}

/** Uploads the files one after another, and then begins the dry run. */
function useCheck() {
  const [uploading, setUploading] = useState<Uploading>();
  const abort = useRef<AbortController>(null);
  // Leaving the page cancels the upload.
  useEffect(() => () => abort.current?.abort(new AppError('cancelled', 'The page was left.')), []);
  const check = useTransferAction(
    async (call, { source, chosen }: { source: ImportSource; chosen: readonly Chosen[] }) => {
      abort.current = new AbortController();
      const { signal } = abort.current;
      try {
        const files = [];
        for (const { slot, file } of chosen) {
          const tell = (share: number) => setUploading({ name: file.name, share, isLost: false });
          tell(0);
          const { url } = await uploadFile(file, {
            folder: 'imports/',
            signal,
            onProgress: tell,
            onWait: () => setUploading(before => before && { ...before, isLost: true }),
          });
          files.push({ slot, url });
        }
        return await call('checkImport', { source, files });
      } finally {
        setUploading(undefined);
      }
    },
    'Failed to check the import.',
  );
  const cancel = () => abort.current?.abort(new AppError('cancelled', 'The upload was cancelled.'));
  return { check, uploading, cancel };
}

function Upload({ name, share, isLost, onCancel }: Uploading & { onCancel(): void }) {
  return (
    <div className="transfer">
      <p className="sub" role="status">
        {isLost ? 'Connection lost. The upload will resume automatically.' : `Uploading ${name}`}
      </p>
      <progress max={1} value={share} aria-label={`Uploading ${name}`} />
      <button type="button" className="quiet" onClick={onCancel}>
        Cancel
      </button>
    </div>
  );
}
