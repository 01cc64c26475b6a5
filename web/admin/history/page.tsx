import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { searchMaxCharacters } from '../../../contract/constants.ts';
import { type HistoryKind, historyKinds, kindsByTopic } from '../../../contract/history-kinds.ts';
import { sentenceOf, wayOf } from '../../../contract/history-sentence.ts';
import type { Call, Output } from '../../../contract/operations.ts';
import { useNavigate, useQueryString } from '../../app/navigation.ts';
import { operationQuery, useCall } from '../../app/queries.tsx';
import { routes } from '../../app/routes.ts';
import { useSettings } from '../../app/site.tsx';
import { Field, SelectField } from '../../ui/field.tsx';
import { QueryFailed } from '../../ui/load-failed.tsx';
import { onForm } from '../../ui/on-form.ts';
import { AdminPage, forAdmins } from '../layout.tsx';
import { Log } from '../tables.tsx';

type Request = { person: string; kind: HistoryKind | null; from: string | null; to: string | null };
type Place = Request & { after: string | null };

const isKind = (text: string | null): text is HistoryKind =>
  text !== null && Object.hasOwn(historyKinds, text);
const topics = Object.entries(kindsByTopic).map(([topic, kinds]) => [topic, Object.entries(kinds)] as const);
const dayOf = (text: string | null) =>
  text !== null && /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : null;

/**
 * The filters from the address, so that reload, back, a bookmark and the form without scripts show the same.
 */
function placeOf(search: URLSearchParams): Place {
  const kind = search.get('kind');
  return {
    person: (search.get('person') ?? '').trim().slice(0, searchMaxCharacters),
    kind: isKind(kind) ? kind : null,
    from: dayOf(search.get('from')),
    to: dayOf(search.get('to')),
    after: search.get('after'),
  };
}

function addressOf(place: Partial<Place>): string {
  const set = Object.entries(place).flatMap(([name, value]) => (value ? [[name, value]] : []));
  return routes.history.href(set.length === 0 ? '' : `?${new URLSearchParams(set)}`);
}

function historyQuery(call: Call, place: Place) {
  // An admin often opens this page right after doing something that it lists.
  return { ...operationQuery(call, 'getHistory', place), staleTime: 1_000 };
}

export const prepare = forAdmins(async ({ call, client, search }) => {
  await client.fetchQuery(historyQuery(call, placeOf(search)));
  return { title: 'History' };
});

/** The history of rights: who decided what about whom, when, from where and how. */
export default function HistoryPage() {
  return (
    <AdminPage title="History">
      <History />
    </AdminPage>
  );
}

function History() {
  const place = placeOf(useQueryString());
  const list = useQuery(historyQuery(useCall(), place));
  const { after, ...filter } = place;
  const isFiltered = Object.values(filter).some(Boolean);
  return (
    <>
      <Filter filter={filter} isFiltered={isFiltered} />
      {list.isError ? (
        <QueryFailed query={list} what="the history" />
      ) : (
        <p className="status" role="status">
          {list.isPending && <span>Loading the history...</span>}
          {list.data?.entries.length === 0 && (
            <span>{isFiltered ? 'No entries match.' : 'No entries yet.'}</span>
          )}
        </p>
      )}
      {list.data !== undefined && list.data.entries.length > 0 && <Entries entries={list.data.entries} />}
      <nav className="pages" aria-label="Pages">
        {after !== null && (
          <Link className="button" to={addressOf(filter)}>
            Newest
          </Link>
        )}
        {list.data?.nextCursor && (
          <Link className="button" to={addressOf({ ...filter, after: list.data.nextCursor })}>
            Older
          </Link>
        )}
      </nav>
    </>
  );
}

/** A form that sends to its own page's address, so it works without scripts. */
function Filter({ filter, isFiltered }: { filter: Request; isFiltered: boolean }) {
  const navigate = useNavigate();
  const { timeZone } = useSettings();
  const fields = useRef<HTMLFormElement>(null);
  const { person, kind, from, to } = filter;
  // The fields follow the address. Made anew they would lose the focus.
  useEffect(() => {
    for (const [name, value] of Object.entries({ person, kind, from, to })) {
      const field = fields.current?.elements.namedItem(name);
      if (field instanceof HTMLInputElement || field instanceof HTMLSelectElement) field.value = value ?? '';
    }
  }, [person, kind, from, to]);
  const apply = onForm(form => {
    const typed = [...form].map(([name, value]) => [name, String(value)]);
    navigate(addressOf(placeOf(new URLSearchParams(typed))));
  });
  return (
    <search>
      <form
        ref={fields}
        className="history-filter"
        method="get"
        action={routes.history.href()}
        onSubmit={apply}
      >
        <Field
          name="person"
          label="Person"
          placeholder="Username or name"
          autoComplete="off"
          maxLength={searchMaxCharacters}
          defaultValue={filter.person}
        />
        <SelectField
          name="kind"
          label="What"
          options={[['', 'Everything']]}
          groups={topics}
          defaultValue={filter.kind ?? ''}
        />
        <Field name="from" label="From" type="date" defaultValue={filter.from ?? ''} />
        <Field name="to" label="To" type="date" defaultValue={filter.to ?? ''} />
        <div className="acts">
          <button type="submit" className="button">
            Show
          </button>
          {isFiltered && (
            <Link
              className="quiet"
              to={addressOf({})}
              // The link is removed with the filter.
              onClick={() => fields.current?.querySelector('input')?.focus()}
            >
              Show all
            </Link>
          )}
        </div>
        <p className="hint">Dates and times are those of {timeZone}.</p>
      </form>
    </search>
  );
}

/** An entry as a sentence, with a link to the post whose tags it is about. */
function What({ entry }: { entry: Output<'getHistory'>['entries'][number] }) {
  const { kind, thing } = entry;
  if (kind !== 'posts-retagged' || thing === undefined) return sentenceOf(entry);
  return (
    <>
      {sentenceOf(entry)} <Link to={routes.post.href({ postId: thing.id })}>Show the post</Link>
    </>
  );
}

function Entries({ entries }: { entries: Output<'getHistory'>['entries'] }) {
  return (
    <Log
      columns={['What', 'When', 'Through']}
      entries={entries.map(entry => ({ ...entry, what: <What entry={entry} />, more: wayOf(entry) }))}
    />
  );
}
