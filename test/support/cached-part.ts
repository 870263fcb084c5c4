// Programs that tests need and that npm does not install. They are built once per version, in the user's cache.
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';

interface CachedPart {
  /** The name in the output, for example `ElasticMQ`. */
  readonly name: string;
  /** The folder of the program. It may not exist yet. */
  readonly dir: string;
  /** Printed before the build, because the build takes some time. */
  readonly announcement: string;
  /** Returns the reason why it cannot be built on this machine, for the output. */
  lacking(): string | undefined;
  /** Fills an empty folder. Returns the error, if any. */
  fill(dir: string): string | undefined;
}

/**
 * Builds the part unless it exists, prints the result, and sets the exit code. A part exists completely or not at all.
 */
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

/** Another process may have finished first. Its folder has the same content. */
function publish(temporary: string, dir: string): void {
  try {
    renameSync(temporary, dir);
  } catch (cause) {
    if (!existsSync(dir)) {
      throw cause;
    }
  }
}
