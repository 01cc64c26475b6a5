import { emailMaxCharacters, fullName } from '../../../contract/constants.ts';

export type Recipient = { email: string; name?: string };

/**
 * Parses a pasted list of people, separated by lines, commas or semicolons: `ann@example.org` or
 * `Ann Kay <ann@example.org>`. Each address is listed once, in lower case. `wrong` has entries in neither
 * form, as they were typed.
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
  // The server checks the address further.
  if (email.length > emailMaxCharacters || !/^[^\s@<>"]+@[^\s@<>"]+\.[^\s@<>"]+$/.test(email))
    return undefined;
  const name = (named?.name ?? '')
    .trim()
    .replaceAll(/^["']|["']$/g, '')
    .trim();
  // If the name is not valid as a full name, they enter one when they join.
  return name.length < fullName.min || name.length > fullName.max ? { email } : { email, name };
}
