import type { DatabaseConnection, Driver } from 'kysely';
import { AppError } from '../../contract/errors.ts';

/** Something that the site depends on cannot be used at present. `cause` is for the log. */
export class Outage extends AppError {
  override readonly cause: unknown;

  constructor(message: string, cause: unknown) {
    super('unavailable', message);
    this.cause = cause;
    latest = { outage: this, at: performance.now() };
  }
}

let latest: { outage: Outage; at: number } | undefined;

/**
 * The answer of a library; throws the outage if one made it fail. better-auth turns every error of the database into
 * one of its own that does not tell what happened.
 */
export async function unwrapOutage<T>(answer: Promise<T>): Promise<T> {
  const start = performance.now();
  try {
    return await answer;
  } catch (error) {
    const isInternal = error instanceof Error && 'statusCode' in error && error.statusCode === 500;
    throw isInternal && latest !== undefined && latest.at >= start ? latest.outage : error;
  }
}

/** Whether an error is an {@link Outage}, told by its shape, as for every {@link AppError}. */
export function isOutage(error: unknown): error is Outage {
  return error instanceof AppError && error.code === 'unavailable' && 'cause' in error;
}

export const outages = {
  gone: 'The database cannot be reached. Please try again in a moment.',
  store: 'The files cannot be reached. Please try again in a moment.',
  outdated: 'The site is being brought to a newer version. Please try again in a moment.',
  full: 'The disk of the server is full, so nothing can be saved. Reading goes on.',
  readOnly: 'The database takes no changes at present, so nothing can be saved. Reading goes on.',
} as const;

/**
 * Wraps a driver so that errors for which `explain` has a sentence are thrown as an {@link Outage}; others are thrown
 * as they are.
 */
export function withOutages(driver: Driver, explain: (error: unknown) => string | undefined): Driver {
  const seen = new WeakSet<DatabaseConnection>();
  const explained = async <T>(run: Promise<T>): Promise<T> => {
    try {
      return await run;
    } catch (error) {
      const message = explain(error);
      throw message === undefined ? error : new Outage(message, error);
    }
  };
  return {
    init: options => explained(driver.init(options)),
    destroy: options => driver.destroy(options),
    acquireConnection: async options => {
      const connection = await explained(driver.acquireConnection(options));
      if (!seen.has(connection)) {
        seen.add(connection);
        const execute = connection.executeQuery.bind(connection);
        connection.executeQuery = (query, ...rest) => explained(execute(query, ...rest));
      }
      return connection;
    },
    releaseConnection: (connection, options) => driver.releaseConnection(connection, options),
    beginTransaction: (connection, settings) => explained(driver.beginTransaction(connection, settings)),
    commitTransaction: connection => explained(driver.commitTransaction(connection)),
    rollbackTransaction: connection => explained(driver.rollbackTransaction(connection)),
  };
}
