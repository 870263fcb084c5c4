// Runs a project of vitest.config.ts in a network namespace, because the webhook servers of upstream's managers listen on all
// addresses.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { canHaveOwnNetwork, spawnInOwnNetwork } from './own-network.ts';

/**
 * Resolves with the exit code. The suite ends at its first failure. If this machine has no namespaces, the suite must skip
 * itself with the reason.
 */
export async function runSuiteInOwnNetwork(project: string): Promise<number> {
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--project', project, '--bail', '1'];
  // The default signal handling skips the exit listeners, which end the child process.
  process.once('SIGINT', () => process.exit(130));
  process.once('SIGTERM', () => process.exit(143));
  const args = [...vitest, ...process.argv.slice(2)];
  const child = canHaveOwnNetwork()
    ? spawnInOwnNetwork(args, 'inherit')
    : spawn(process.execPath, args, { stdio: 'inherit' });
  const [code] = await once(child, 'close');
  return code ?? 1;
}
