// The expected failure of a command: the user requested something impossible.

/** Printed as one line on standard error, with exit code 2 and no stack. Line breaks of the message become blanks. */
export class UsageError extends Error {
  override readonly name = 'UsageError';

  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super(message.trim().replaceAll(/\s*\n\s*/g, ' '), options);
  }
}
