// `npm run functions-kubeconfig`: prints the kubeconfig of deployed functions.
import { runCommand } from './command.ts';
import { exitCodes } from './drive.ts';
import {
  functionsKubeconfigHelp,
  makeFunctionsKubeconfig,
  parseFunctionsKubeconfigOptions,
} from './functions-kubeconfig.ts';

async function main(): Promise<number> {
  const options = parseFunctionsKubeconfigOptions(process.argv.slice(2));
  if (options === 'help') {
    process.stdout.write(functionsKubeconfigHelp);
    return exitCodes.done;
  }
  const { text, notes } = await makeFunctionsKubeconfig(options);
  process.stdout.write(text);
  for (const note of notes) {
    process.stderr.write(`${note}\n`);
  }
  return exitCodes.done;
}

await runCommand(main);
