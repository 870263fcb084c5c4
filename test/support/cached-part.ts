// Parts that tests use and that are not in the repository: made once per version, in the user's cache.
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';

export interface CachedPart {
  /** For people: `ElasticMQ`. */
  readonly name: string;
  /** Where it is, or shall be. */
  readonly dir: string;
  /** Said before it is made, which takes a while. */
  readonly announcement: string;
  /** Why it cannot be made here, for people. */
  lacking(): string | undefined;
  /** Fills an empty folder. Answers what went wrong. */
  fill(dir: string): string | undefined;
}

/** Makes the part unless it is there, tells how it went, and sets the exit code. A part is there whole or not at all. */
export function ensurePart(part: CachedPart): void {
  const problem = existsSync(part.dir) ? undefined : (part.lacking() ?? make(part));
  if (problem === undefined) {
    console.log(`${part.name} is ready: ${part.dir}`);
  } else {
    console.error(problem);
    process.exitCode = 1;
  }
}

function make({ dir, announcement, fill }: CachedPart): string | undefined {
  mkdirSync(dirname(dir), { recursive: true });
  const temporary = mkdtempSync(`${dir}.unfinished-`);
  try {
    console.log(announcement);
    const problem = fill(temporary);
    if (problem === undefined) {
      publish(temporary, dir);
    }
    return problem;
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** Another process may have finished first: its folder holds the same content. */
function publish(temporary: string, dir: string): void {
  try {
    renameSync(temporary, dir);
  } catch (cause) {
    if (!existsSync(dir)) {
      throw cause;
    }
  }
}
