// The records of a test file, one JSON line each: CPU time from its process, and durations from the test runner.
import * as z from 'zod/mini';

const seconds = z.number();

const processorSchema = z.object({
  file: z.string(),
  own: seconds,
  children: seconds,
  /** The milliseconds by kind. */
  spans: z.record(z.string(), z.number()),
});

const durationSchema = z.object({
  suite: z.string(),
  file: z.string(),
  tests: z.number(),
  /** The milliseconds for imports. */
  importing: z.number(),
  running: z.number(),
});

export type FileProcessor = Readonly<z.infer<typeof processorSchema>>;
export type FileDurations = Readonly<z.infer<typeof durationSchema>>;

export function toFileLine(record: FileProcessor | FileDurations): string {
  return `${JSON.stringify(record)}\n`;
}

export function parseProcessor(lines: string): readonly FileProcessor[] {
  return toRecords(lines).map(record => processorSchema.parse(record));
}

export function parseDurations(lines: string): readonly FileDurations[] {
  return toRecords(lines).map(record => durationSchema.parse(record));
}

function toRecords(lines: string): readonly unknown[] {
  return lines
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line) as unknown);
}
