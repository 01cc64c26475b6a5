import { AppError } from '../../contract/errors.ts';

/** Something that the site depends on is unavailable. `cause` is for the log. */
export class Outage extends AppError {
  override readonly cause: unknown;

  constructor(message: string, cause: unknown) {
    super('unavailable', message);
    this.cause = cause;
  }
}

/** Whether an error is an {@link Outage}, recognised by its shape, like every {@link AppError}. */
export function isOutage(error: unknown): error is Outage {
  return error instanceof AppError && error.code === 'unavailable' && 'cause' in error;
}

export const outages = {
  gone: 'The database cannot be reached. Please try again in a moment.',
  store: 'The files cannot be reached. Please try again in a moment.',
  folder: 'The folder of this site is not there, so nothing can be read from it or saved in it.',
  outdated: 'The site is being brought to a newer version. Please try again in a moment.',
  full: 'The disk of the server is full, so nothing can be saved. Reading goes on.',
  readOnly: 'The database takes no changes at present, so nothing can be saved. Reading goes on.',
  damaged:
    'The database is damaged and takes no changes: stop the site, copy its data as it is, and restore the newest backup.',
} as const;

/** Whether an error says that the database is damaged, so that a retry cannot help. */
export function isDamage(error: unknown): error is Outage {
  return isOutage(error) && error.message === outages.damaged;
}

/** The message of an error for the person who runs a command, with that of the database or network. */
export function withCause({ message, cause }: Error): string {
  return cause instanceof Error ? `${message} (${cause.message})` : message;
}
