// Structured logging as a port: one JSON object per line (docs: README, "Operating").

export type LogFields = Readonly<Record<string, unknown>>;

/**
 * Messages start with a capital letter. An action is in its "-ing" form. Fields never contain Secret content or tokens.
 */
export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  error(message: string, error: unknown, fields?: LogFields): void;
  /** Returns a log that adds `fields` to every line. */
  with(fields: LogFields): Log;
}
