// The seed of rotating samples. It is the same for each run of a commit, and different for the next commit.
import { execFileSync } from 'node:child_process';

/** Returns 0 outside a repository. */
export function commitSeed(): number {
  try {
    const commit = execFileSync('git', ['rev-parse', 'HEAD'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return Number.parseInt(commit.slice(0, 8), 16);
  } catch {
    return 0;
  }
}
