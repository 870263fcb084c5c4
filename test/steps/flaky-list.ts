// The list of flaky test files in test/flaky.json. It is short and temporary: each entry has a time limit.
import { existsSync, readFileSync } from 'node:fs';
import * as z from 'zod/mini';

const schema = z.array(
  z.strictObject({
    file: z.string(),
    /** The day of the first failure, for example 2026-11-28. */
    since: z.iso.date(),
    message: z.string(),
  }),
);

export type FlakyEntry = Readonly<z.infer<typeof schema>[number]>;

/** The time to correct a flaky file. */
const mostDays = 14;
const mostFiles = 3;
const dayMs = 86_400_000;

/** Throws if the list is not valid. */
export function readFlakyList(file: string): readonly FlakyEntry[] {
  return existsSync(file) ? schema.parse(JSON.parse(readFileSync(file, 'utf8'))) : [];
}

export interface FlakyState {
  readonly listed: readonly FlakyEntry[];
  /** The files that failed in this run and passed alone. */
  readonly found: readonly string[];
  readonly now: Date;
}

/** Returns the reasons why the list makes the run fail. */
export function flakyProblems({ listed, found, now }: FlakyState): readonly string[] {
  const old = listed.filter(({ since }) => now.getTime() - Date.parse(since) > mostDays * dayMs);
  const files = new Set([...listed.map(({ file }) => file), ...found]);
  return [
    ...old.map(({ file, since }) => `${file} is flaky since ${since}, which is more than ${mostDays} days`),
    ...(files.size > mostFiles ? [`${files.size} test files are flaky, and at most ${mostFiles} may be`] : []),
  ];
}

/** Returns the entry that the next commit adds to test/flaky.json. */
export function toFlakyEntry(file: string, message: string, now: Date): FlakyEntry {
  return { file, since: now.toISOString().slice(0, 10), message };
}
