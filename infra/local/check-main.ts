// `npm run check`: what is wrong with ClusterClasses in files, with the places; for people and for pull requests.
import { checkOnce } from './check/command.ts';
import { checkHelp, parseCheckOptions } from './check/options.ts';
import { runCommand } from './command.ts';
import { exitCodes } from './drive.ts';

async function main(): Promise<number> {
  const options = parseCheckOptions(process.argv.slice(2));
  if (options === 'help') {
    process.stdout.write(checkHelp);
    return exitCodes.done;
  }
  return checkOnce(options, text => process.stdout.write(text));
}

await runCommand(main);
