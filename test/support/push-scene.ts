import { deliverPushes } from '../../server/mail/deliver-lanes.ts';
import { withSmtp } from './mailing-site.ts';
import { insertSession } from './people.ts';
import { startPushService } from './push-service.ts';
import type { Person, Site } from './site.ts';

/** A friend whose browser is notified. */
export async function pushScene(s: Site) {
  const admin = await s.admin();
  const lucy = await s.member(['friends'], 'lucy');
  const [{ smtp, deps: mailing }, service] = await Promise.all([withSmtp(s), startPushService()]);
  const deps = { ...mailing, isAllowed: () => true };
  const deliver = () => deliverPushes(deps);
  /** Turns notifications on in a browser of somebody. */
  const turnOn = async (as: Person, path: string) => {
    const browser = service.browser(path);
    const { publicKey } = await s.call(as, 'startPush', { ...browser, endpoint: 'https://push.invalid/1' });
    // The contract takes HTTPS alone, for which the service has no certificate.
    await s.deps.db
      .updateTable('push_subscriptions')
      .set({ endpoint: browser.endpoint })
      .where('endpoint', '=', 'https://push.invalid/1')
      .execute();
    return async () => {
      await deliver();
      return browser.told(publicKey);
    };
  };
  /** The same person in another browser. */
  const again = async (as: NonNullable<Person>): Promise<Person> => {
    const [name] = as.cookie.split('=');
    return { ...as, cookie: `${name}=${await insertSession(s.deps, as.id)}` };
  };
  return { admin, lucy, smtp, service, deps, deliver, turnOn, again };
}
