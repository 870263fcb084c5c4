// `capi-serverless kubeconfig`: prints a kubeconfig for deployed functions.
import { exitCodes } from '../../local/exit-codes.ts';
import { defineCommand } from '../command.ts';
import {
  functionsKubeconfigHelp,
  functionsKubeconfigOptions,
  makeFunctionsKubeconfig,
  parseFunctionsKubeconfigOptions,
} from './functions-kubeconfig.ts';

export const kubeconfigCommand = defineCommand({
  options: functionsKubeconfigOptions,
  help: () => functionsKubeconfigHelp,
  parse: parseFunctionsKubeconfigOptions,
  async execute(options, print) {
    const { text, notes } = await makeFunctionsKubeconfig(options);
    print(text);
    // Standard output contains only the kubeconfig.
    for (const note of notes) {
      process.stderr.write(`${note}\n`);
    }
    return exitCodes.done;
  },
});
