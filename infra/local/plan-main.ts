// `npm run plan`: prints what a reconciler would do to one object now, and writes nothing.
import { existsSync } from 'node:fs';
import { clusterScoped } from './arguments.ts';
import { runCommand } from './command.ts';
import { exitCodes } from './drive.ts';
import { embeddedKubeconfigPath } from './embedded.ts';
import { planOnce } from './plan/command.ts';
import { parsePlanOptions, toPlanHelp } from './plan/options.ts';
import { plannables } from './plan/registry.ts';

async function main(): Promise<number> {
  const declarations = plannables.map(({ declaration }) => declaration);
  const reconcilers = declarations.map(({ name }) => name);
  const surroundings = {
    reconcilers,
    clusterScoped: clusterScoped(declarations),
    embeddedKubeconfig: embeddedKubeconfigPath,
    exists: existsSync,
  };
  const options = parsePlanOptions(process.argv.slice(2), surroundings);
  if (options === 'help') {
    process.stdout.write(toPlanHelp(reconcilers));
    return exitCodes.done;
  }
  return planOnce(options, text => process.stdout.write(text));
}

await runCommand(main);
