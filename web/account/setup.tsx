import { useMutation, useSuspenseQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Call } from '../../contract/operations.ts';
import type { SomeSettings } from '../../contract/site-settings.ts';
import { Form, fieldText } from '../app/form.tsx';
import { useQueryString } from '../app/navigation.ts';
import { Page } from '../app/page.tsx';
import { operationQuery, useCall, useOperations } from '../app/queries.tsx';
import { routes } from '../app/routes.ts';
import { useSettings } from '../app/site.tsx';
import { Field } from '../ui/field.tsx';
import { renewTabIcon } from '../ui/tab-icon.ts';
import { AccountFields, readAccount, useEnter } from './account-fields.tsx';
import { forLink, RefusedLink, tokenOf } from './link-form.tsx';

const title = 'Set up your site';
const linkOver = 'This setup link is no longer valid. Open the one that the server prints when it starts.';

export const prepare = forLink(title, async (call, token) => (await call('getSetup', { token })).isValid);

/** The page of the one-time setup link: sending its form makes the first admin (decision 25). */
export default function SetupPage() {
  const token = tokenOf(useQueryString());
  return token === null ? (
    <Refused reason="To create the first admin, open the setup link that the server prints when it starts." />
  ) : (
    <SetupByLink token={token} />
  );
}

function SetupByLink({ token }: { token: string }) {
  const { isDone, isValid } = useSuspenseQuery(operationQuery(useCall(), 'getSetup', { token })).data;
  if (isDone) return <Refused reason="This site is already set up." />;
  return isValid ? <SetupForm token={token} /> : <Refused reason={linkOver} />;
}

function Refused({ reason }: { reason: string }) {
  return (
    <RefusedLink title={title} reason={reason}>
      <p>
        <Link to={routes.login.href()}>Log In</Link>
      </p>
    </RefusedLink>
  );
}

/** How the owner's browser writes dates, without a region that few languages need. */
function datesOfBrowser(): SomeSettings {
  const { timeZone, locale } = Intl.DateTimeFormat().resolvedOptions();
  return { timeZone, dateLanguage: /^(?:en|pt-BR)/.test(locale) ? locale : locale.replace(/-.*/, '') };
}

async function saveFirstSettings(call: Call, wanted: SomeSettings): Promise<void> {
  const { lockedBy, version } = await call('getSiteSettings', {});
  const values = Object.fromEntries(Object.entries(wanted).filter(([name]) => !(name in lockedBy)));
  await call('saveSiteSettings', { values, version });
}

function SetupForm({ token }: { token: string }) {
  const { call, client } = useOperations();
  const enter = useEnter();
  const settings = useSettings();
  const setup = useMutation({
    mutationFn: async (form: FormData) => {
      const viewer = await call('setUpSite', { token, account: readAccount(form) });
      const title = fieldText(form, 'title').trim();
      const named = title === '' ? {} : { title };
      // A machine whose time zone was never set has one that the server does not know. The account is made:
      // what is refused can be changed later.
      await saveFirstSettings(call, { ...datesOfBrowser(), ...named })
        .catch(() => saveFirstSettings(call, named))
        .catch(() => undefined);
      await client.invalidateQueries({ queryKey: ['getSettings'] });
      renewTabIcon();
      return viewer;
    },
    onSuccess: enter,
  });
  return (
    <Page title={title}>
      <Form
        sending={setup}
        submit="Create account"
        submitting="Creating account..."
        failure={setup.error && `Failed to create an account. ${setup.error.message}`}
      >
        <Field
          name="title"
          label="What is your site called?"
          hint="You can change it at any time."
          autoComplete="off"
          maxLength={100}
          placeholder={settings.title}
        />
        <p>This creates your admin account.</p>
        <AccountFields />
      </Form>
    </Page>
  );
}
