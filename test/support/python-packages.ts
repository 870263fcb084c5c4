// Programs in Python that tests need. Their packages are installed once per version, in the user's cache.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ensurePart } from './cached-part.ts';
import { testCacheDir } from './test-cache.ts';

interface PythonProgram {
  /** The name of the npm script that installs the packages. */
  readonly name: string;
  /** The folder with `requirements.txt`: all packages with exact versions and digests. */
  readonly folder: string;
  /** The program below the folder. */
  readonly file: string;
}

interface InstalledProgram {
  readonly program: string;
  /** Environment variables with which Python finds the packages. */
  readonly environment: Readonly<Record<string, string>>;
}

const leastMinor = 11;

/** Wheels with native code are for one system and processor. */
const target = `${process.platform}-${process.arch}`;

const requirementsOf = ({ folder }: PythonProgram): string => path.join(folder, 'requirements.txt');

/** The folder that the npm script fills. If it exists, it is complete. */
function dirOf(of: PythonProgram): string {
  const hash = createHash('sha256')
    .update(target)
    .update(readFileSync(requirementsOf(of)))
    .digest('hex')
    .slice(0, 16);
  return path.join(testCacheDir(), `${of.name}-${hash}`);
}

/** `missing` is the reason in one line why the program cannot run. */
export function findPythonProgram(of: PythonProgram): InstalledProgram | { readonly missing: string } {
  const dir = dirOf(of);
  return existsSync(dir)
    ? { program: path.join(of.folder, of.file), environment: { PYTHONPATH: dir, PYTHONDONTWRITEBYTECODE: '1' } }
    : { missing: `${of.name} is not installed; run "npm run ${of.name}" once` };
}

export function installPackages(of: PythonProgram): void {
  ensurePart({
    name: of.name,
    dir: dirOf(of),
    announcement: `Installing ${of.name} from PyPI (about a minute)`,
    lacking: () => lackingPython(of.name),
    fill: dir => installInto(dir, requirementsOf(of)),
  });
}

function lackingPython(name: string): string | undefined {
  const needed = `Python 3.${leastMinor} or newer with pip is needed to run ${name}`;
  const { error, stdout } = spawnSync('python3', ['-m', 'pip', '--version'], { encoding: 'utf8' });
  if (error !== undefined) {
    return `${needed}, and no "python3" can be run (${error.message})`;
  }
  const minor = Number(/\(python 3\.(\d+)\)/.exec(stdout)?.[1] ?? 0);
  return minor >= leastMinor ? undefined : `${needed}; found ${stdout.trim() || 'no pip'}`;
}

/** A folder for PYTHONPATH. A virtual environment contains its own path, so it cannot be moved when it is complete. */
function installInto(dir: string, requirements: string): string | undefined {
  const args = [
    ...['-m', 'pip', 'install', '--disable-pip-version-check', '--no-input', '--quiet'],
    ...['--require-hashes', '--no-deps', '--only-binary', ':all:', '--target', dir, '--requirement', requirements],
  ];
  const { status, error, stderr } = spawnSync('python3', args, {
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  return status === 0 ? undefined : `python3 ${args.join(' ')} ended with ${error ?? status}:\n${stderr.slice(-4000)}`;
}
