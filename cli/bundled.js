// The command line as one program in dist/cli, which starts in a fraction of the time of its sources. bundle.js writes it when
// npm installs the packages. Plain JavaScript, so that no types are removed at each start.
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
export const bundleFolder = path.join(root, 'dist/cli');

/** The list of sources, beside the program. */
export const inputsFile = 'inputs.json';
export const programFile = 'main.js';

/** What changes with each edit of a source. */
export function stampOf(file) {
  const { mtimeMs, size } = statSync(file);
  return `${mtimeMs} ${size}`;
}

/**
 * Returns the URL of the program. Undefined if there is none, if a source has changed since, or if the checkout was moved:
 * the sources run then.
 */
export function currentProgram(folder = bundleFolder) {
  try {
    const { root: builtFor, inputs } = JSON.parse(readFileSync(path.join(folder, inputsFile), 'utf8'));
    const isCurrent =
      builtFor === root && Object.entries(inputs).every(([file, stamp]) => stampOf(path.join(root, file)) === stamp);
    return isCurrent ? pathToFileURL(path.join(folder, programFile)).href : undefined;
  } catch {
    return undefined;
  }
}
