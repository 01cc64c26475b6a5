type Policy = { createScriptURL(address: string): string };
type Trusting = { trustedTypes?: { createPolicy(name: string, rules: Policy): Policy } };

/** The service workers of the site (web/brand), and the paths that each of them controls. */
const scopes = { share: '/share', offline: '/', push: '/push' };
type Name = keyof typeof scopes;

const addressOf = (name: string, userId: string) => `/${name}-worker.js?${encodeURIComponent(userId)}`;

/** Like web/ui/prose.tsx for HTML: the only programs that become scripts, with the id of an account. */
const rules: Policy = {
  createScriptURL: address => (/^\/(?:share|offline|push)-worker\.js\?[\w%-]+$/.test(address) ? address : ''),
};
const policy: Policy = (globalThis as Trusting).trustedTypes?.createPolicy('coterie-worker', rules) ?? rules;

/** A service worker of this browser; undefined if there is none, or the browser has no service workers. */
export async function registrationOf(name: Name): Promise<ServiceWorkerRegistration | undefined> {
  const found = await navigator.serviceWorker?.getRegistration(scopes[name]);
  return found !== undefined && new URL(found.scope).pathname === scopes[name] ? found : undefined;
}

/** Whether a service worker belongs to this account. */
export async function worksFor(name: Name, userId: string): Promise<boolean> {
  const registration = await registrationOf(name);
  const worker = registration?.active ?? registration?.waiting ?? registration?.installing;
  return worker?.scriptURL.endsWith(addressOf(name, userId)) === true;
}

/** Starts a service worker for an account. Rejects if the browser refuses it. */
export async function registerWorker(name: Name, userId: string): Promise<void> {
  const address = policy.createScriptURL(addressOf(name, userId));
  await navigator.serviceWorker?.register(address, { scope: scopes[name] });
}

/** Ends a service worker that belongs to another account, if there is one. */
export async function endWorkerOfOthers(name: Name, userId: string | undefined): Promise<void> {
  if (userId === undefined || !(await worksFor(name, userId))) await endWorker(name);
}

/** Ends a service worker, and with it its subscription to notifications. */
export async function endWorker(name: Name): Promise<void> {
  await (await registrationOf(name))?.unregister();
}
