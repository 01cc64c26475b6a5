/** The mailbox that an address leads to: the same with any `+word` before the `@`. */
export function mailboxOf(email: string): string {
  const [name = '', host = ''] = email.toLowerCase().split('@');
  return `${name.split('+')[0]}@${host}`;
}
