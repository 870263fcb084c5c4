// `npm run new-provider`: a provider to begin with.
import { runCommand } from '../local/command.ts';
import { exitCodes } from '../local/drive.ts';
import { createProvider, packPackage } from './create.ts';
import { newProviderHelp, parseNewProviderOptions, toKind } from './options.ts';

async function main(): Promise<number> {
  const options = parseNewProviderOptions(process.argv.slice(2));
  if (options === 'help') {
    process.stdout.write(newProviderHelp);
    return exitCodes.done;
  }
  const files = await createProvider(options, packPackage);
  const { name, folder } = options;
  const lines = [
    `${toKind(name)} is in ${folder}:`,
    ...files.map(file => `  ${file}`),
    'What to try next',
    `  npm start -- --provider ${folder}`,
    `  cd ${folder} && npm install && npm test`,
    'docs/provider-guide.md leads from here to a deployment',
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  return exitCodes.done;
}

await runCommand(main);
