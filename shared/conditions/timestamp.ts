// RFC 3339 times as Kubernetes writes them: UTC, whole seconds, "Z".
import type { Checked } from '../api/checked.ts';
import type { Instant } from '../api/object.ts';

/** The instant's text, truncated to its whole second. */
export function toTimestamp(instant: Instant): string {
  return `${new Date(Math.floor(instant / 1000) * 1000).toISOString().slice(0, 19)}Z`;
}

/** Reads an RFC 3339 time; the error is worded as Go's time package words it. */
export function parseTimestamp(text: string): Checked<Instant> {
  throw new Error(`not written: ${text}`);
}
