import { Link } from 'wouter';
import { useQueryString } from '../app/navigation.ts';
import { Page } from '../app/page.tsx';
import { routes } from '../app/routes.ts';
import type { ScreenModule } from '../app/screen.ts';
import { brokenLink } from './link-form.tsx';
import { wishTexts } from './wish-texts.ts';

export const prepare: ScreenModule['prepare'] = async () => ({ title: 'Unsubscribe' });

/** The subject of the mails that a link ends; a link about new posts names none. */
function whatOf(kind: string | null): string {
  const texts: Readonly<Record<string, string>> = wishTexts;
  return texts[kind ?? ''] ?? 'new posts';
}

/**
 * The page of the link in a mail (decisions.md 28): a form that works without scripts. Opening it changes
 * nothing.
 */
export default function UnsubscribePage() {
  const search = useQueryString();
  const token = search.get('token');
  return (
    <Page title="Unsubscribe">
      {search.has('done') ? (
        <>
          <p className="notice good">
            You are unsubscribed. You won’t get emails about {whatOf(search.get('done'))} any more.
          </p>
          <p>
            <Link to={routes.timeline.href()}>Go to the timeline</Link>
          </p>
        </>
      ) : token === null ? (
        <>
          <p className="notice bad">{brokenLink}</p>
          <p>
            Or <Link to={routes.profile.href()}>change your subscription under Your Activity</Link>.
          </p>
        </>
      ) : (
        <form
          className="form narrow"
          method="post"
          action={routes.unsubscribe.href(`?token=${encodeURIComponent(token)}`)}
        >
          <p>Stop getting emails about {whatOf(token.split('.').at(-2) ?? '')}?</p>
          <div className="acts">
            <button type="submit" className="button primary">
              Unsubscribe
            </button>
            <Link className="button" to={routes.timeline.href()}>
              Stay subscribed
            </Link>
          </div>
        </form>
      )}
    </Page>
  );
}
