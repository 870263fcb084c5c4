// `npm run check-contract`: where a provider's kinds, and its objects, depart from the provider contract.
import { runCommand } from './command.ts';
import { checkContractOnce } from './contract-check/command.ts';
import { contractHelp, parseContractOptions } from './contract-check/options.ts';
import { exitCodes } from './drive.ts';

async function main(): Promise<number> {
  const options = parseContractOptions(process.argv.slice(2));
  if (options === 'help') {
    process.stdout.write(contractHelp);
    return exitCodes.done;
  }
  return checkContractOnce(options, text => process.stdout.write(text));
}

await runCommand(main);
