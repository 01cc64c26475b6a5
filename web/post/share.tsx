import { useToast } from '../app/toasts.tsx';
import { useIsInBrowser } from '../ui/use-is-in-browser.ts';

/** Hands the address of a page on: by what the device has for it, or else by copying it. */
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
    <button type="button" className="words scripted" onClick={() => void hand()}>
      {canShare ? 'Share' : 'Copy link'}
    </button>
  );
}

/** False where the device refuses, as it does for some pages; readers may also have changed their mind. */
async function hasShared(data: ShareData): Promise<boolean> {
  try {
    await navigator.share(data);
    return true;
  } catch (error) {
    return error instanceof DOMException && error.name === 'AbortError';
  }
}

/** Copies an address, and says so. */
export async function copyLink(url: string, toast: ReturnType<typeof useToast>): Promise<void> {
  try {
    // On plain http there is no clipboard.
    await navigator.clipboard.writeText(url);
    toast({ text: 'Link copied.' });
  } catch {
    // The reason is the browser's own, and changes nothing for the reader.
    toast({ text: `This browser does not copy. The link is ${url}`, stays: true });
  }
}
