// `capi-serverless new-provider`: writes the first files of a provider.
import { exitCodes } from '../../local/exit-codes.ts';
import { defineCommand } from '../command.ts';
import { createProvider, packPackage } from './create.ts';
import { newProviderHelp, newProviderOptions, parseNewProviderOptions, toKind } from './options.ts';

export const newProviderCommand = defineCommand({
  options: newProviderOptions,
  help: () => newProviderHelp,
  parse: parseNewProviderOptions,
  async execute(options, print) {
    const files = await createProvider(options, packPackage);
    const { name, folder, json } = options;
    if (json) {
      print(`${JSON.stringify({ kind: toKind(name), folder, files }, undefined, 2)}\n`);
      return exitCodes.done;
    }
    const lines = [
      `${toKind(name)} is in ${folder}:`,
      ...files.map(file => `  ${file}`),
      'What to try next',
      `  npx capi-serverless start --provider ${folder}`,
      `  cd ${folder} && npm install && npm test`,
      'docs/provider-guide.md leads from here to a deployment',
    ];
    print(`${lines.join('\n')}\n`);
    return exitCodes.done;
  },
});
