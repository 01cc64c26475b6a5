import { useQueryString } from '../app/navigation.ts';
import { useOperations } from '../app/queries.tsx';
import { routes } from '../app/routes.ts';
import { askViewer } from '../app/viewer.ts';
import { brokenLink, forLink, LinkForm, RefusedLink, tokenOf, useFirstAnswer } from './link-form.tsx';

const title = 'Confirm your address';
const linkOver = 'This link is no longer valid. Request a new one on your account page.';

export const prepare = forLink(
  title,
  async (call, token) => (await call('getEmailLink', { token })).link !== null,
);

/**
 * The page of the link in a confirmation mail. Opening it confirms nothing: programs that read mail open
 * links, too.
 */
export default function ConfirmPage() {
  const token = tokenOf(useQueryString());
  return token === null ? <RefusedLink title={title} reason={brokenLink} /> : <ConfirmByLink token={token} />;
}

function ConfirmByLink({ token }: { token: string }) {
  const { call, client } = useOperations();
  const { link } = useFirstAnswer('getEmailLink', { token });
  if (link === null) return <RefusedLink title={title} reason={linkOver} />;
  const { username, email, isChange } = link;
  return (
    <LinkForm
      title={title}
      intro={
        isChange
          ? `This changes the email address of the account ${username} to ${email}.`
          : `This confirms that the account ${username} and the email address ${email} are yours.`
      }
      submit="Confirm"
      submitting="Confirming..."
      send={async () => {
        await call('confirmEmail', { token });
        await askViewer(client, call).catch(() => {});
      }}
      done={{
        text: 'Your email address is confirmed.',
        to: routes.timeline.href(),
        link: 'Go to the timeline',
      }}
    >
      <p>If you do not know this account, close this page: somebody else may be using your email address.</p>
    </LinkForm>
  );
}
