// Runs the section in a separate network namespace. The webhook server of upstream always listens on all addresses. In
// the namespace, only the loopback address exists. https://man7.org/linux/man-pages/man1/unshare.1.html
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { projectRoot } from '../../infra/bundles/bundle.ts';

/** This environment variable is set in the namespace. */
const marker = 'CAPI_BENCH_ALONE';

const namespace = ['--map-root-user', '--net', '--', 'sh', '-c'] as const;
const enter = 'ip link set lo up && exec "$@"';

export const isAlone = process.env[marker] === '1';

/** Returns true if an ordinary user can create a network namespace on this machine. */
export function canBeAlone(): boolean {
  return spawnSync('unshare', [...namespace, enter, 'sh', 'true'], { stdio: 'ignore' }).status === 0;
}

/** Runs the bench in the namespace with these arguments. Resolves with its standard output. */
export async function runAlone(args: readonly string[]): Promise<string> {
  const bench = spawn('unshare', [...namespace, enter, 'sh', process.execPath, 'bench/main.ts', ...args], {
    cwd: projectRoot,
    env: { ...process.env, [marker]: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const kill = (): void => void bench.kill('SIGTERM');
  process.once('exit', kill);
  const [output, [code]] = await Promise.all([text(bench.stdout), once(bench, 'close')]);
  process.off('exit', kill);
  if (code !== 0) {
    throw new Error(`The bench in its own network ended with ${String(code)}`);
  }
  return output;
}
