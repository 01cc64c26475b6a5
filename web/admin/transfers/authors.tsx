import { useViewer } from '../../app/site.tsx';
import { amount, number } from '../../ui/amount.ts';
import { SelectField } from '../../ui/field.tsx';
import { Fact, Facts } from '../tables.tsx';
import type { Report, Writer } from './query.ts';

type Named = Report['postsByAuthor'][number];

/** The named authors, and whom their posts belong to here. An import makes nobody an author. */
export function Authors({ postsByAuthor }: Report) {
  if (postsByAuthor.length === 0) return null;
  return (
    <>
      <h3>Posts by author</h3>
      <Facts>
        {postsByAuthor.map(({ name, username, posts }) => (
          <Fact key={`${name} ${username}`} name={name}>
            {`${number(posts)}, ${username === null ? 'without an author' : `by ${username}`}`}
          </Fact>
        ))}
      </Facts>
    </>
  );
}

/** Accounts by the names that the source has for them; null for nobody. */
export type Chosen = ReadonlyMap<string, string | null>;

/** The account for each name: the one that an admin has chosen, or else the one that was found. */
export function accountsOf({ postsByAuthor }: Report, writers: readonly Writer[], chosen: Chosen): Chosen {
  const found = ({ username }: Named) => writers.find(writer => writer.username === username)?.id ?? null;
  const accountOf = (author: Named) => {
    const choice = chosen.get(author.name);
    // Somebody may have been an author when they were chosen, and be none any more.
    const isOffered = choice === null || writers.some(({ id }) => id === choice);
    return choice === undefined || !isOffered ? found(author) : choice;
  };
  const single = postsByAuthor.filter(author => isOnlyOne(author, postsByAuthor));
  return new Map(single.map(author => [author.name, accountOf(author)]));
}

/** A choice is made for a name, so none can be made for a name that two accounts were found for. */
const isOnlyOne = ({ name }: Named, all: readonly Named[]) =>
  all.filter(other => other.name.toLowerCase() === name.toLowerCase()).length === 1;

type Props = {
  report: Report;
  writers: readonly Writer[];
  accounts: Chosen;
  onChoose(name: string, userId: string | null): void;
};

/** Lets an admin say who of this site each author is whom the source names. */
export function AuthorsChoice({ report, writers, accounts, onChoose }: Props) {
  const { user } = useViewer();
  if (report.postsByAuthor.length === 0) return null;
  const options = [
    ['', 'nobody'],
    ...writers.map(({ id, username }) => [id, id === user?.id ? `${username} (you)` : username] as const),
  ] as const;
  return (
    <>
      <h3>Posts by author</h3>
      <p className="lead">
        Choose who each of these people is here. Authors edit their own posts, and read their drafts; posts of
        nobody show no name, and only admins edit them. If somebody is missing, make them an author under
        Users first.
      </p>
      <div className="form narrow">
        {report.postsByAuthor.map(({ name, username, posts }) =>
          accounts.has(name) ? (
            <SelectField
              key={name}
              name={name}
              label={`${name}, ${amount(posts, 'post')}`}
              options={options}
              value={accounts.get(name) ?? ''}
              onChange={event => onChoose(name, event.target.value || null)}
            />
          ) : (
            <p key={`${name} ${username}`}>{`${name}, ${amount(posts, 'post')}: ${username ?? 'nobody'}`}</p>
          ),
        )}
      </div>
    </>
  );
}
