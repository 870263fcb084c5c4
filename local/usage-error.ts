// The expected error of a command: the request of the user is not possible.

/** Printed as one line on standard error, with exit code 2 and no stack. Line breaks in the message become spaces. */
export class UsageError extends Error {
  override readonly name = 'UsageError';

  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super(message.trim().replaceAll(/\s*\n\s*/g, ' '), options);
  }
}
