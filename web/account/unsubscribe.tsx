import { Link, useSearchParams } from 'react-router';
import type { ScreenModule } from '../app/routes.ts';
import { usePageHeading } from '../app/site.tsx';
import { brokenLink } from './link-form.tsx';

export const prepare: ScreenModule['prepare'] = async () => ({ title: 'Unsubscribe' });

/** Where the link of a mail leads (decisions.md 28): a form that works without scripts. Looking at it changes nothing. */
export default function UnsubscribePage() {
  const heading = usePageHeading('Unsubscribe');
  const [search] = useSearchParams();
  const token = search.get('token');
  return (
    <main id="main" tabIndex={-1} className="page">
      <header>
        <h1 ref={heading} tabIndex={-1}>
          Unsubscribe
        </h1>
      </header>
      {search.has('done') ? (
        <>
          <p className="notice good">You are unsubscribed. There will be no more mails about new posts.</p>
          <p>
            <Link to="/">Go to the timeline</Link>
          </p>
        </>
      ) : token === null ? (
        <>
          <p className="notice bad">{brokenLink}</p>
          <p>
            Or <Link to="/profile">change it on your profile</Link>.
          </p>
        </>
      ) : (
        <form
          className="form narrow"
          method="post"
          action={`/unsubscribe?token=${encodeURIComponent(token)}`}
        >
          <p>Do you want no more mails about new posts?</p>
          <div className="acts">
            <button type="submit" className="button primary">
              Unsubscribe
            </button>
            <Link className="button" to="/">
              Keep them
            </Link>
          </div>
        </form>
      )}
    </main>
  );
}
