import { changeStartTags } from './start-tags.ts';

const addresses = / (href|src|poster|srcset)="([^"]*)"/g;

/**
 * Makes the addresses in rendered HTML absolute: feeds and mails have no page that they could be
 * relative to.
 */
export function withAddresses(html: string, publicUrl: string, page: string): string {
  const absolute = (address: string) => {
    if (/^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(address)) return address;
    if (address.startsWith('/')) return publicUrl + address;
    return /^(?:[#?]|$)/.test(address) ? page + address : `${publicUrl}/post/${address}`;
  };
  return changeStartTags(html, tag =>
    tag.replaceAll(addresses, (_, name: string, value: string) => {
      const changed = name === 'srcset' ? value.split(', ').map(absolute).join(', ') : absolute(value);
      return ` ${name}="${changed}"`;
    }),
  );
}
