import { useToast } from '../app/toasts.tsx';
import { useIsInBrowser } from '../ui/use-is-in-browser.ts';

/** Shares the address of a page: with the device's own dialog, or by copying it. */
export function Share({ path, title }: { path: string; title: string }) {
  const toast = useToast();
  const isInBrowser = useIsInBrowser();
  const canShare = isInBrowser && 'share' in navigator;
  const hand = async () => {
    const url = new URL(path, window.location.href).href;
    if (canShare && (await hasShared({ title, url }))) return;
    await copyLink(url, toast);
  };
  return (
    <button type="button" className="words" onClick={() => void hand()}>
      {canShare ? 'Share' : 'Copy link'}
    </button>
  );
}

/** False if the device refuses, as for some pages; the reader may also have changed their mind. */
export async function hasShared(data: ShareData): Promise<boolean> {
  try {
    await navigator.share(data);
    return true;
  } catch (error) {
    return error instanceof DOMException && error.name === 'AbortError';
  }
}

/** Copies an address, and reports it. */
export async function copyLink(url: string, toast: ReturnType<typeof useToast>): Promise<void> {
  try {
    // On plain http there is no clipboard.
    await navigator.clipboard.writeText(url);
    toast({ text: 'Link copied.' });
  } catch {
    // The reason is the browser's own, and of no use to the reader.
    toast({ text: `This browser does not copy. The link is ${url}`, stays: true });
  }
}
