// Runs npm.
import { execFile } from 'node:child_process';

/** Longer than any registry takes that answers at all. */
const patienceMs = 60_000;
const mostBytes = 64 * 1024 * 1024;

/** The output, for any exit code: npm prints problems there as well. */
export function runNpm(root: string, args: readonly string[]): Promise<string> {
  const options = { cwd: root, encoding: 'utf8', timeout: patienceMs, maxBuffer: mostBytes } as const;
  return new Promise(resolve => {
    execFile('npm', [...args], options, (_error, stdout) => resolve(stdout));
  });
}
