// `npm run reconcile`: wakes one object now and shows what that invocation did.
import { existsSync } from 'node:fs';
import { runCommand } from './command.ts';
import { exitCodes } from './drive.ts';
import { embeddedKubeconfigPath } from './embedded.ts';
import { knownDeclarations, reconcileOnce } from './reconcile-once.ts';
import { parseReconcileOptions, toReconcileHelp } from './reconcile-options.ts';

async function main(): Promise<number> {
  const surroundings = { embeddedKubeconfig: embeddedKubeconfigPath, exists: existsSync };
  const options = parseReconcileOptions(process.argv.slice(2), surroundings);
  if (options === 'help') {
    process.stdout.write(toReconcileHelp(knownDeclarations.map(({ name }) => name)));
    return exitCodes.done;
  }
  return reconcileOnce(options);
}

await runCommand(main);
