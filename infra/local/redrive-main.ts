// `npm run redrive`: shows dead letters and moves them back.
import { runCommand } from './command.ts';
import { exitCodes } from './drive.ts';
import { redriveQueue } from './queues/command.ts';
import { parseRedriveOptions, redriveHelp } from './queues/options.ts';
import { findTarget } from './queues/target.ts';

async function main(): Promise<number> {
  const print = (text: string): boolean => process.stdout.write(text);
  const options = parseRedriveOptions(process.argv.slice(2));
  if (options === 'help') {
    print(redriveHelp);
    return exitCodes.done;
  }
  // What is under way is finished: no dead letter is then in both queues.
  const interrupted = new AbortController();
  process.once('SIGINT', () => interrupted.abort());
  return redriveQueue(findTarget(process.env), options, { print, interrupted: interrupted.signal });
}

await runCommand(main);
