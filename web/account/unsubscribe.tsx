import { Link } from 'wouter';
import { useQueryString } from '../app/navigation.ts';
import { Page } from '../app/page.tsx';
import { routes } from '../app/routes.ts';
import type { ScreenModule } from '../app/screen.ts';
import { brokenLink } from './link-form.tsx';
import { wishTexts } from './wish-texts.ts';

export const prepare: ScreenModule['prepare'] = async () => ({ title: 'Unsubscribe' });

/** A link about anything else than new posts names its kind between the account and the signature. */
const isAboutPosts = (token: string) => token.split('.').length === 2;

/** The subject of the mails that a link ends; a link about new posts names none. */
function whatOf(kind: string | null): string {
  const texts: Readonly<Record<string, string>> = wishTexts;
  return texts[kind ?? ''] ?? 'new posts';
}

/**
 * The page of the link in a mail (decision 28): a form that works without scripts. Opening it changes
 * nothing.
 */
export default function UnsubscribePage() {
  const search = useQueryString();
  const token = search.get('token');
  const ends = (more = '') => routes.unsubscribe.href(`?token=${encodeURIComponent(token ?? '')}${more}`);
  return (
    <Page title="Unsubscribe">
      {search.get('done') === 'weekly' ? (
        <>
          <p className="notice good">You get new posts once a week now, on Mondays.</p>
          <p>
            <Link to={routes.profile.href()}>Choose how often under Your Activity</Link>
          </p>
        </>
      ) : search.has('done') ? (
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
        <form className="form narrow" method="post" action={ends()}>
          <p>Stop getting emails about {whatOf(token.split('.').at(-2) ?? '')}?</p>
          <div className="acts">
            <button type="submit" className="button primary">
              Unsubscribe
            </button>
            {isAboutPosts(token) && (
              <button type="submit" className="button" formAction={ends('&instead=weekly')}>
                Once a week instead
              </button>
            )}
            <Link className="button" to={routes.timeline.href()}>
              Stay subscribed
            </Link>
          </div>
        </form>
      )}
    </Page>
  );
}
