type Policy = { createScriptURL(address: string): string };
type Trusting = { trustedTypes?: { createPolicy(name: string, rules: Policy): Policy } };

/** The service workers of the site (web/brand), and what passes each of them. */
const scopes = { share: '/share', offline: '/', push: '/push' };
type Name = keyof typeof scopes;

const addressOf = (name: string, userId: string) => `/${name}-worker.js?${encodeURIComponent(userId)}`;

/** As web/ui/prose.tsx has it for HTML: the only programs that become scripts, with the id of an account. */
const rules: Policy = {
  createScriptURL: address => (/^\/(?:share|offline|push)-worker\.js\?[\w%-]+$/.test(address) ? address : ''),
};
const policy: Policy = (globalThis as Trusting).trustedTypes?.createPolicy('coterie-worker', rules) ?? rules;

/** A service worker of this browser; undefined if there is none, or the browser has no service workers. */
export async function registrationOf(name: Name): Promise<ServiceWorkerRegistration | undefined> {
  const found = await navigator.serviceWorker?.getRegistration(scopes[name]);
  return found !== undefined && new URL(found.scope).pathname === scopes[name] ? found : undefined;
}

/** Whether a service worker works for this account. */
export async function worksFor(name: Name, userId: string): Promise<boolean> {
  const registration = await registrationOf(name);
  const worker = registration?.active ?? registration?.waiting ?? registration?.installing;
  return worker?.scriptURL.endsWith(addressOf(name, userId)) === true;
}

/** Starts a service worker for an account. Rejects where the browser refuses it. */
export async function registerWorker(name: Name, userId: string): Promise<void> {
  const address = policy.createScriptURL(addressOf(name, userId));
  await navigator.serviceWorker?.register(address, { scope: scopes[name] });
}

/** Ends a service worker that does not work for this account, if there is one. */
export async function endWorkerOfOthers(name: Name, userId: string | undefined): Promise<void> {
  if (userId === undefined || !(await worksFor(name, userId))) await endWorker(name);
}

/** Ends a service worker, and with it the notifications that it has subscribed to. */
export async function endWorker(name: Name): Promise<void> {
  await (await registrationOf(name))?.unregister();
}
