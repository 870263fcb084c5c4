// `npm run test:take-over`: runs the suite in a network namespace, because upstream's webhook server listens on all
// addresses. If this machine has no namespaces, the suite is skipped with the reason.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { canHaveOwnNetwork, spawnInOwnNetwork } from '../support/own-network.ts';

const vitest = [
  'node_modules/vitest/vitest.mjs',
  'run',
  '--project',
  'take-over',
  '--bail',
  '1',
  ...process.argv.slice(2),
];

// The default signal handling skips the exit listeners, which end the child process.
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));

const child = canHaveOwnNetwork()
  ? spawnInOwnNetwork(vitest, 'inherit')
  : spawn(process.execPath, vitest, { stdio: 'inherit' });
const [code] = await once(child, 'close');
process.exitCode = code ?? 1;
