/**
 * The closed list of error codes, each with its HTTP status. Where several share a status, the first is used
 * if only the status is known. Source: specification section 8 and the callable protocol
 * (docs/decisions/0006-callable-protocol.md).
 */
export const errorCodes = {
  'invalid-argument': 400,
  'failed-precondition': 400,
  'out-of-range': 400,
  unauthenticated: 401,
  'permission-denied': 403,
  'not-found': 404,
  aborted: 409,
  'already-exists': 409,
  'resource-exhausted': 429,
  cancelled: 499,
  internal: 500,
  unknown: 500,
  unimplemented: 501,
  unavailable: 503,
  'deadline-exceeded': 504,
} as const;

export type ErrorCode = keyof typeof errorCodes;

export function wireName(code: ErrorCode): string {
  return code.replaceAll('-', '_').toUpperCase();
}

/**
 * The only error whose message is shown to the caller; its `details` name the fields at fault. Any other
 * error is a bug and is only logged.
 */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly details: ErrorDetails | undefined;

  constructor(code: ErrorCode, message: string, details?: ErrorDetails) {
    super(message);
    this.code = code;
    this.details = details;
  }

  /**
   * The bundle that renders on the server has its own copy of this class, so an error is recognised by its
   * shape.
   */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === 'AppError' && 'code' in value;
  }
}

/** What a form needs to show an error beside its field: field name to sentence. */
export type ErrorDetails = { fields?: Record<string, string>; [key: string]: unknown };

/**
 * The details of an error for a call that the site did not answer: the network failed, or a proxy says that
 * the site is down. The call may have been carried out.
 */
export const unreached: ErrorDetails = { isUnreached: true };

export function isUnreached(error: unknown): boolean {
  return error instanceof AppError && error.details?.isUnreached === true;
}

/** An error about one field of a form, which shows the sentence beside it. */
export function fieldError(field: string, message: string, code: ErrorCode = 'invalid-argument'): AppError {
  return new AppError(code, message, { fields: { [field]: message } });
}

/**
 * The code for a name on the wire, or for an HTTP status if the body names none (specification section 8).
 */
export function errorCodeOf(wire: string | undefined, http: number): ErrorCode {
  const codes = Object.keys(errorCodes) as ErrorCode[];
  if (wire !== undefined) return codes.find(code => wireName(code) === wire) ?? 'internal';
  return codes.find(code => errorCodes[code] === http) ?? 'unknown';
}

/** Whether a sign-in was correct so far and needs a code of the account's second factor. */
export function isCodeAsked(error: unknown): boolean {
  return error instanceof AppError && error.details?.asks === 'code';
}

const finalCodes: ReadonlySet<ErrorCode> = new Set([
  'permission-denied',
  'not-found',
  'failed-precondition',
  'invalid-argument',
  'out-of-range',
]);

/** Whether a retry cannot help, also after signing in again. */
export function isFinal(error: unknown): boolean {
  return error instanceof AppError && finalCodes.has(error.code);
}
