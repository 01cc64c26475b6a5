/**
 * The closed list of error codes, the name each has on the wire, and its HTTP status.
 * Source: specification section 8 and the callable protocol (docs/decisions/0006-callable-protocol.md).
 */
export const errorCodes = {
  'invalid-argument': { wire: 'INVALID_ARGUMENT', http: 400 },
  'failed-precondition': { wire: 'FAILED_PRECONDITION', http: 400 },
  'out-of-range': { wire: 'OUT_OF_RANGE', http: 400 },
  unauthenticated: { wire: 'UNAUTHENTICATED', http: 401 },
  'permission-denied': { wire: 'PERMISSION_DENIED', http: 403 },
  'not-found': { wire: 'NOT_FOUND', http: 404 },
  'already-exists': { wire: 'ALREADY_EXISTS', http: 409 },
  aborted: { wire: 'ABORTED', http: 409 },
  'resource-exhausted': { wire: 'RESOURCE_EXHAUSTED', http: 429 },
  cancelled: { wire: 'CANCELLED', http: 499 },
  internal: { wire: 'INTERNAL', http: 500 },
  unknown: { wire: 'UNKNOWN', http: 500 },
  unimplemented: { wire: 'UNIMPLEMENTED', http: 501 },
  unavailable: { wire: 'UNAVAILABLE', http: 503 },
  'deadline-exceeded': { wire: 'DEADLINE_EXCEEDED', http: 504 },
} as const;

export type ErrorCode = keyof typeof errorCodes;

/**
 * The one error that is meant for the person at the other end: its message is shown to them, its `details` name the
 * fields at fault. Anything else that is thrown is a bug and reaches nobody but the log.
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

  /** Rendering on the server is a bundle of its own, with its own copy of this class: an error is known by its shape. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === 'AppError' && 'code' in value;
  }
}

/** What a form needs to show an error where it belongs: field name to sentence. */
export type ErrorDetails = { fields?: Record<string, string>; [key: string]: unknown };

/** The code of a name on the wire, or of an HTTP status alone when the body says nothing (specification section 8). */
export function errorCodeOf(wire: string | undefined, http: number): ErrorCode {
  const codes = Object.keys(errorCodes) as ErrorCode[];
  if (wire !== undefined) return codes.find(code => errorCodes[code].wire === wire) ?? 'internal';
  // Where two codes share a status, the status alone means the one the specification names.
  if (http === 400) return 'invalid-argument';
  if (http === 409) return 'aborted';
  if (http === 500) return 'internal';
  return codes.find(code => errorCodes[code].http === http) ?? 'unknown';
}
