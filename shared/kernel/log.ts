// Structured logging as a port: one JSON object a line (docs: README, "Operating").

export type LogFields = Readonly<Record<string, unknown>>;

/** Messages start with a capital; an action takes its "-ing" form. Fields never hold Secret content or tokens. */
export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  error(message: string, error: unknown, fields?: LogFields): void;
  /** A log whose lines all carry `fields`. */
  with(fields: LogFields): Log;
}
