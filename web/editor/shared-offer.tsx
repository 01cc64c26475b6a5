import { type RefObject, useEffect, useState } from 'react';
import { cutAtWord } from '../../contract/text.ts';
import { useViewer } from '../app/site.tsx';
import { sharedWith } from '../storage/shares.ts';
import { amount } from '../ui/amount.ts';
import type { Writing } from './text/code-mirror.ts';

type SharedOfferProps = { writing: RefObject<Writing | null>; onFiles(files: File[]): void };

/**
 * Offers what another program has shared with the installed app. Nothing is uploaded before a button is
 * pressed.
 */
export function SharedOffer({ writing, onFiles }: SharedOfferProps) {
  const userId = useViewer().user?.id ?? '';
  const [shared, setShared] = useState<{ text: string; files: File[] }>();
  useEffect(() => {
    let isWanted = true;
    void sharedWith(userId).then(async kept => {
      const form = await kept?.formData();
      if (form === undefined || !isWanted) return;
      setShared({
        text: wordsOf(['title', 'text', 'url'].map(name => form.get(name))),
        files: form.getAll('files').filter(file => file instanceof File),
      });
    });
    return () => {
      isWanted = false;
    };
  }, [userId]);
  if (shared === undefined) return null;
  const { text, files } = shared;
  const start = cutAtWord(text, 60);
  const end = () => {
    setShared(undefined);
    void caches.delete('shared');
    writing.current?.focus();
  };
  return (
    <section className="notice restore" aria-label="Shared from another program">
      <p>
        Shared from another program: {files.length > 0 && amount(files.length, 'file')}
        {files.length > 0 && start !== '' && ' and '}
        {start !== '' && (
          <>
            “<bdi>{start}</bdi>”
          </>
        )}
      </p>
      <div className="acts">
        <button
          type="button"
          className="button"
          onClick={() => {
            if (text !== '') writing.current?.append(text);
            onFiles(files);
            end();
          }}
        >
          Use it here
        </button>
        <button type="button" className="quiet danger" onClick={end}>
          Discard
        </button>
      </div>
    </section>
  );
}

/** Programs give the same words or address in several fields. */
function wordsOf(fields: readonly unknown[]): string {
  const words = fields.filter(field => typeof field === 'string').map(field => field.trim());
  const isNew = (word: string, at: number) =>
    !words.some((other, index) => index !== at && other.includes(word) && (other !== word || index < at));
  return words.filter((word, at) => word !== '' && isNew(word, at)).join('\n\n');
}
