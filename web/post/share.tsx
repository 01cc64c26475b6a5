import { useToast } from '../app/toasts.tsx';
import { useIsInBrowser } from '../ui/use-is-in-browser.ts';

/** Hands the address of a page on: by what the device has for it, or else by copying it. */
export function Share({ path, title }: { path: string; title: string }) {
  const toast = useToast();
  const isInBrowser = useIsInBrowser();
  const canShare = isInBrowser && 'share' in navigator;
  const hand = async () => {
    const url = new URL(path, window.location.href).href;
    if (canShare) await share({ title, url });
    else await copyLink(url, toast);
  };
  return (
    <button type="button" className="words scripted" onClick={() => void hand()}>
      {canShare ? 'Share' : 'Copy link'}
    </button>
  );
}

async function share(data: ShareData): Promise<void> {
  try {
    await navigator.share(data);
  } catch (error) {
    // The reader has changed their mind.
    if (!(error instanceof DOMException && error.name === 'AbortError')) throw error;
  }
}

/** Copies an address, and says so. */
export async function copyLink(url: string, toast: ReturnType<typeof useToast>): Promise<void> {
  const isCopied = await navigator.clipboard.writeText(url).then(
    () => true,
    () => false,
  );
  toast({ text: isCopied ? 'Link copied.' : `This browser does not copy. The link is ${url}` });
}
