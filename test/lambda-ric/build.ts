// Installs AWS's runtime interface client for Node, once per version, into the user's cache. Its native part is
// compiled. Run as `npm run lambda-ric`. See README.md in this folder.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ensurePart } from '../support/cached-part.ts';
import { lambdaRicDir, manifestDir, manifestFiles } from './location.ts';

/** The programs that the install script calls, each with alternative names. */
const tools = [['cmake', 'cmake3'], ['make'], ['g++', 'c++', 'clang++'], ['python3'], ['tar'], ['xz']] as const;

function lackingTools(): string | undefined {
  const lacking = tools.filter(names => !names.some(isThere)).map(([name]) => name);
  return lacking.length === 0
    ? undefined
    : `The Lambda runtime interface client is compiled, and there is no ${lacking.join(', no ')}; on Debian: apt-get install cmake make g++ python3 xz-utils`;
}

function isThere(program: string): boolean {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined;
}

function installInto(dir: string): string | undefined {
  for (const file of manifestFiles) {
    copyFileSync(join(manifestDir, file), join(dir, file));
  }
  const args = ['ci', '--no-audit', '--no-fund', '--foreground-scripts'];
  const { status, error, stdout, stderr } = spawnSync('npm', args, {
    cwd: dir,
    env: { ...process.env, ...headers() },
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return status === 0
    ? undefined
    : `npm ${args.join(' ')} ended with ${error ?? status}:\n${`${stdout}${stderr}`.slice(-4000)}`;
}

/** If the headers of this Node version are installed, the compiler uses them. Otherwise they would be downloaded. */
function headers(): Readonly<Record<string, string>> {
  const dir = join(dirname(process.execPath), '..');
  return existsSync(join(dir, 'include/node/node_api.h')) ? { npm_config_nodedir: dir } : {};
}

ensurePart({
  name: "Lambda's runtime interface client",
  dir: lambdaRicDir(),
  announcement: 'Installing the Lambda runtime interface client and compiling its native part (about 1 minute)',
  lacking: () => (process.platform === 'linux' ? lackingTools() : 'Its native part builds only on Linux'),
  fill: installInto,
});
