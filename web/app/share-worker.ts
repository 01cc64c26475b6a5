type Trusting = {
  trustedTypes?: {
    createPolicy(
      name: string,
      rules: { createScriptURL(address: string): string },
    ): { createScriptURL(address: string): string };
  };
};

/** As web/ui/prose.tsx has it for HTML: the one address that becomes a script. */
const policy = (globalThis as Trusting).trustedTypes?.createPolicy('coterie-worker', {
  createScriptURL: () => '/share-worker.js',
});

/** Lets the installed app take what other programs share. Some browsers have no workers, or refuse them. */
export async function registerShareWorker(): Promise<void> {
  if ((await navigator.serviceWorker?.getRegistration('/share')) !== undefined) return;
  const address = policy?.createScriptURL('') ?? '/share-worker.js';
  await navigator.serviceWorker?.register(address, { scope: '/share' }).catch(() => {});
}
