// Installs cfn-lint, once per version, into the user's cache. Run as `npm run cfn-lint`. See README.md in this
// folder.
import { spawnSync } from 'node:child_process';
import { ensurePart } from '../support/cached-part.ts';
import { cfnLintDir, requirementsPath } from './cfn-lint.ts';

const leastMinor = 11;

function lackingPython(): string | undefined {
  const needed = `Python 3.${leastMinor} or newer with pip is needed to run cfn-lint`;
  const { error, stdout } = spawnSync('python3', ['-m', 'pip', '--version'], { encoding: 'utf8' });
  if (error !== undefined) {
    return `${needed}, and no "python3" can be run (${error.message})`;
  }
  const minor = Number(/\(python 3\.(\d+)\)/.exec(stdout)?.[1] ?? 0);
  return minor >= leastMinor ? undefined : `${needed}; found ${stdout.trim() || 'no pip'}`;
}

/** A folder for PYTHONPATH. A virtual environment contains its own path, so it cannot be moved when it is complete. */
function installInto(dir: string): string | undefined {
  const args = [
    ...['-m', 'pip', 'install', '--disable-pip-version-check', '--no-input', '--quiet'],
    ...['--require-hashes', '--no-deps', '--only-binary', ':all:', '--target', dir, '--requirement', requirementsPath],
  ];
  const { status, error, stderr } = spawnSync('python3', args, {
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  return status === 0 ? undefined : `python3 ${args.join(' ')} ended with ${error ?? status}:\n${stderr.slice(-4000)}`;
}

ensurePart({
  name: 'cfn-lint',
  dir: cfnLintDir(),
  announcement: 'Installing cfn-lint from PyPI (about a minute)',
  lacking: lackingPython,
  fill: installInto,
});
