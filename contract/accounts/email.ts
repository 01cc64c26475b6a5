import { z } from 'zod';
import { emailMaxCharacters, noAddressHost } from '../constants.ts';

const invalid = 'Please enter a valid email address.';
const foreignName =
  'Before its @, an email address may have only the letters a to z, digits and . _ + - here. Please use another address.';
const foreignEnd =
  'The last part of an email address must be in Latin letters here, such as .com. Please use another address.';

/** Why an address is refused. Few mail servers accept non-ASCII letters before the `@`. */
function refusal(email: unknown): string {
  const [, name = '', host = ''] = /^([^@\s]+)@([^@\s]+)$/.exec(String(email)) ?? [];
  if (/[^\x20-\x7e]/.test(name) && /^[\p{L}\p{N}\p{M}._'+-]+$/u.test(name)) return foreignName;
  return address.test(`a@${host.replace(/\.xn--[a-z0-9-]+$/, '.com')}`) && !address.test(`a@${host}`)
    ? foreignEnd
    : invalid;
}

/** What comes before the `@`, without quotes, and a host in ASCII whose last part is a word. */
const address = /^(?!\.)(?!.*\.\.)[a-z0-9_'+\-.]*[a-z0-9_+-]@(?:[a-z0-9][a-z0-9-]*\.)+[a-z]{2,}$/;

/**
 * The one form in which an address is stored and compared: trimmed, NFC, lower case, and the host in ASCII
 * (IDNA, RFC 5891), so that `müller.example` and `xn--mller-kva.example` are one. Mail servers accept hosts
 * in this form.
 */
export function normalEmail(text: string): string {
  const email = text.normalize('NFC').trim().toLowerCase().normalize('NFC');
  const host = email.slice(email.lastIndexOf('@') + 1);
  if (host === email || !/[^\x20-\x7e]|xn--/.test(host) || /[^\p{L}\p{N}\p{M}.。．｡-]/u.test(host))
    return email;
  const name = URL.parse(`http://${host}`)?.hostname;
  return name === undefined ? email : email.slice(0, -host.length) + name;
}

/** An address in its normal form. Quoted local parts are not accepted. */
export const Email = z
  .string()
  .trim()
  // Checked before normalisation, whose cost grows with the length; composing letters shortens a text.
  .max(4 * emailMaxCharacters, 'This email address is too long.')
  .transform(normalEmail)
  .pipe(z.string().max(emailMaxCharacters, 'This email address is too long.'))
  .pipe(z.email({ pattern: address, error: ({ input }) => refusal(input) }))
  .refine(email => URL.canParse(`http://${email.split('@')[1]}`), invalid)
  .refine(email => !email.endsWith(`@${noAddressHost}`), invalid);
