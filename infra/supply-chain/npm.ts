// Runs npm.
import { execFile } from 'node:child_process';

/** The timeout is longer than the response time of any registry. */
const patienceMs = 60_000;
const mostBytes = 64 * 1024 * 1024;

/** Returns the output for any exit code, because npm also prints problems to standard output. */
export function runNpm(root: string, args: readonly string[]): Promise<string> {
  const options = { cwd: root, encoding: 'utf8', timeout: patienceMs, maxBuffer: mostBytes } as const;
  return new Promise(resolve => {
    execFile('npm', [...args], options, (_error, stdout) => resolve(stdout));
  });
}
