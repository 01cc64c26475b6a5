/** An unusable setting; the message names it and says what would be valid. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
