import { transferLimits } from '../../../contract/constants.ts';
import type { Input } from '../../../contract/operations.ts';
import { Section } from '../../ui/section.tsx';
import { useIsInBrowser } from '../../ui/use-is-in-browser.ts';
import { useTransferAction } from './query.ts';

const { keptHours } = transferLimits;

type Format = Input<'startExport'>['format'];

export function NewExport() {
  const isInBrowser = useIsInBrowser();
  const start = useTransferAction(
    (call, format: Format) => call('startExport', { format }),
    'Failed to start the export.',
  );
  const button = (format: Format, words: string) => (
    <button
      type="button"
      className="button"
      disabled={!isInBrowser}
      aria-busy={start.isPending && start.variables === format}
      onClick={() => !start.isPending && start.mutate(format)}
    >
      {words}
    </button>
  );
  return (
    <Section title="Export">
      <p className="lead">
        The whole site is one archive for another Coterie (<code>coterie restore</code>). It holds everything,
        also the hashes of passwords: keep it secret. Markdown is a zip file with your posts, their files and
        comments, for any program.
      </p>
      <p className="acts">
        {button('archive', 'Export the whole site')}
        {button('markdown', 'Export posts as Markdown')}
      </p>
      <p className="small-print">
        You can download it here for {keptHours} hours, or until another one like it is made; then it is
        deleted.
      </p>
    </Section>
  );
}
