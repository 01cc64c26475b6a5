import { useState } from 'react';
import { Link } from 'wouter';
import { routes } from '../../app/routes.ts';
import { number } from '../../ui/amount.ts';
import type { Report } from './query.ts';

type Line = Report['notes'][number];

/** Lines that are shown at first; lines of one reason count as one. */
const shownLines = 20;

type LinesProps = {
  title: string;
  lines: readonly Line[];
  more: number;
  /** Whether the title is followed by their number. */
  showsNumber?: boolean;
};

/** Lines of a report, of which those with the same reason stand together. */
export function Lines({ title, lines, more, showsNumber = true }: LinesProps) {
  const [isWhole, setIsWhole] = useState(false);
  if (lines.length === 0) return null;
  const groups = [...Map.groupBy(lines, ({ text, file }) => `${file === undefined} ${text}`).values()];
  const shown = isWhole ? groups : groups.slice(0, shownLines);
  return (
    <>
      <h3>
        {title} {showsNumber && <span className="amount">{number(lines.length + more)}</span>}
      </h3>
      <ul className="lines">
        {shown.map((group, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a report does not change
          <li key={index}>
            <Group lines={group} />
          </li>
        ))}
      </ul>
      {shown.length < groups.length && (
        <button type="button" className="quiet" onClick={() => setIsWhole(true)}>
          Show {number(groups.length - shown.length)} more
        </button>
      )}
      {isWhole && more > 0 && <p className="small-print">{number(more)} more are not kept.</p>}
    </>
  );
}

function Group({ lines }: { lines: readonly Line[] }) {
  const [first] = lines;
  if (first === undefined) return null;
  const { text, file, title } = first;
  if (lines.length === 1)
    return (
      <>
        <Subject {...first} />
        {file !== undefined && `: file ${file}`}
        {title !== text && ` ${file === undefined ? '– ' : ''}${text}`}
      </>
    );
  return (
    <details>
      <summary>{`${number(lines.length)} times: ${file === undefined ? '' : 'a file '}${text}`}</summary>
      <ul className="lines">
        {lines.map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a report does not change
          <li key={index}>
            <Subject {...line} />
            {line.file !== undefined && `: ${line.file}`}
          </li>
        ))}
      </ul>
    </details>
  );
}

/** The post that a line is about, or its name within the source. */
function Subject({ source, title, postId }: Line) {
  if (title === undefined) return <code>{source}</code>;
  return postId === undefined ? title : <Link to={routes.post.href({ postId })}>{title}</Link>;
}
