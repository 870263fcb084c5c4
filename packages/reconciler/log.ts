// Structured logging as a port: one JSON object per line (docs: README, "Operating").

export type LogFields = Readonly<Record<string, unknown>>;

/** Messages start with a capital; an action is in its "-ing" form. Fields never hold Secret content or tokens. */
export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  error(message: string, error: unknown, fields?: LogFields): void;
  /** A log that adds `fields` to every line. */
  with(fields: LogFields): Log;
}
