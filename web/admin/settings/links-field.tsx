import { useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { SiteSettings } from '../../../contract/site-settings.ts';
import { createKey } from '../../ui/key.ts';

type Links = SiteSettings['footer'];
type Edited = Links[number] & { key: string };

const isEmpty = (text: string) => text.trim() === '';

/** Makes the browser refuse the form with this input, and say why. */
const refuse = (problem: string) => (input: HTMLInputElement | null) => input?.setCustomValidity(problem);

const rowsOf = (fieldset: HTMLElement | null) => [...(fieldset?.querySelectorAll('.link-fields') ?? [])];

/** Links in the footer: words and an address each. One with neither is left out. */
export function LinksField({ label, value }: { label: string; value: Links }) {
  const [links, setLinks] = useState<Edited[]>(() => value.map(link => ({ ...link, key: createKey() })));
  const change = (key: string, part: Partial<Links[number]>) =>
    setLinks(links.map(link => (link.key === key ? { ...link, ...part } : link)));
  const fieldset = useRef<HTMLFieldSetElement>(null);
  const add = () => {
    flushSync(() => setLinks([...links, { key: createKey(), label: '', address: '' }]));
    rowsOf(fieldset.current).at(-1)?.querySelector('input')?.focus();
  };
  const remove = (index: number) => {
    // Before the button is removed, so that the focus is not lost.
    const rows = rowsOf(fieldset.current);
    const beside = rows[index + 1] ?? rows[index - 1] ?? fieldset.current?.querySelector('.acts');
    beside?.querySelector('button')?.focus();
    setLinks(links.filter((_, at) => at !== index));
  };
  const whole = links
    .filter(link => !isEmpty(link.label) && !isEmpty(link.address))
    .map(({ label: words, address }) => ({ label: words, address }));
  return (
    <fieldset ref={fieldset} className="field">
      <legend>{label}</legend>
      <input type="hidden" name="footer" value={JSON.stringify(whole)} />
      {links.map((link, index) => (
        <div className="link-fields" key={link.key}>
          <input
            className="input"
            ref={refuse(isEmpty(link.label) && !isEmpty(link.address) ? 'Give this link words.' : '')}
            aria-label={`Words of link ${index + 1}`}
            placeholder="Words"
            maxLength={40}
            value={link.label}
            onChange={event => change(link.key, { label: event.target.value })}
          />
          <input
            className="input"
            ref={refuse(isEmpty(link.address) && !isEmpty(link.label) ? 'Give this link an address.' : '')}
            aria-label={`Address of link ${index + 1}`}
            placeholder="https://"
            maxLength={500}
            value={link.address}
            onChange={event => change(link.key, { address: event.target.value })}
          />
          <button
            type="button"
            className="quiet danger"
            aria-label={`Remove link ${index + 1}`}
            onClick={() => remove(index)}
          >
            Remove
          </button>
        </div>
      ))}
      {links.length < 8 && (
        <div className="acts">
          <button type="button" className="button" onClick={add}>
            Add a link
          </button>
        </div>
      )}
    </fieldset>
  );
}
