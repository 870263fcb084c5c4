// A network namespace for programs that listen on all addresses. In the namespace, only the loopback address exists.
// https://man7.org/linux/man-pages/man1/unshare.1.html
import { type ChildProcess, type StdioOptions, spawn, spawnSync } from 'node:child_process';
import path from 'node:path';

const projectRoot = path.resolve(import.meta.dirname, '../..');

/** This environment variable is set in the namespace. */
const marker = 'CAPI_OWN_NETWORK';

const namespace = ['--map-root-user', '--net', '--', 'sh', '-c'] as const;
const enter = 'ip link set lo up && exec "$@"';

/** True if this process runs in such a namespace. */
export const isInOwnNetwork = process.env[marker] === '1';

/** Returns true if an ordinary user can create a network namespace on this machine. */
export function canHaveOwnNetwork(): boolean {
  return spawnSync('unshare', [...namespace, enter, 'sh', 'true'], { stdio: 'ignore' }).status === 0;
}

/** Starts Node with these arguments in a new namespace, in the root folder of the checkout. It ends with this process. */
export function spawnInOwnNetwork(args: readonly string[], stdio: StdioOptions): ChildProcess {
  const child = spawn('unshare', [...namespace, enter, 'sh', process.execPath, ...args], {
    cwd: projectRoot,
    env: { ...process.env, [marker]: '1' },
    stdio,
  });
  const kill = (): void => void child.kill('SIGTERM');
  process.once('exit', kill);
  child.once('close', () => process.off('exit', kill));
  return child;
}
