import { emailMaxCharacters, fullName } from '../../../contract/constants.ts';

export type Recipient = { email: string; name?: string };

/**
 * The people of a pasted list: addresses by lines, commas or semicolons, as `ann@example.org` or `Ann Kay <ann@example.org>`.
 * Each address once, in lower case. `wrong` holds what is neither, as it was typed.
 */
export function readRecipients(text: string): { recipients: Recipient[]; wrong: string[] } {
  const recipients = new Map<string, Recipient>();
  const wrong: string[] = [];
  for (const part of text.split(/[\n,;]+/).map(each => each.trim())) {
    if (part === '') continue;
    const recipient = readOne(part);
    if (recipient === undefined) wrong.push(part);
    else recipients.set(recipient.email, recipient);
  }
  return { recipients: [...recipients.values()], wrong };
}

function readOne(part: string): Recipient | undefined {
  const named = /^(?<name>[^<]*)<(?<address>[^<>]+)>$/.exec(part)?.groups;
  const email = (named?.address ?? part).trim().toLowerCase();
  // What else an address must be, the server knows.
  if (email.length > emailMaxCharacters || !/^[^\s@<>"]+@[^\s@<>"]+\.[^\s@<>"]+$/.test(email))
    return undefined;
  const name = (named?.name ?? '')
    .trim()
    .replaceAll(/^["']|["']$/g, '')
    .trim();
  // A name that is no full name here is asked for when they join.
  return name.length < fullName.min || name.length > fullName.max ? { email } : { email, name };
}
