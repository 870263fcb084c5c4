// `npm run reconcile`: wakes one object now and shows what that invocation did.
import { existsSync } from 'node:fs';
import { clusterScoped } from './arguments.ts';
import { runCommand } from './command.ts';
import { exitCodes } from './drive.ts';
import { embeddedKubeconfigPath } from './embedded.ts';
import { knownDeclarations, reconcileOnce } from './reconcile-once.ts';
import { parseReconcileOptions, toReconcileHelp } from './reconcile-options.ts';

async function main(): Promise<number> {
  const reconcilers = knownDeclarations.map(({ name }) => name);
  const surroundings = {
    reconcilers,
    clusterScoped: clusterScoped(knownDeclarations),
    embeddedKubeconfig: embeddedKubeconfigPath,
    exists: existsSync,
  };
  const options = parseReconcileOptions(process.argv.slice(2), surroundings);
  if (options === 'help') {
    process.stdout.write(toReconcileHelp(reconcilers));
    return exitCodes.done;
  }
  return reconcileOnce(options);
}

await runCommand(main);
