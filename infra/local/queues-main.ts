// `npm run queues`: shows what the queues hold.
import { runCommand } from './command.ts';
import { exitCodes } from './drive.ts';
import { showQueues } from './queues/command.ts';
import { parseQueuesOptions, queuesHelp } from './queues/options.ts';
import { findTarget } from './queues/target.ts';

async function main(): Promise<number> {
  const print = (text: string): boolean => process.stdout.write(text);
  const options = parseQueuesOptions(process.argv.slice(2));
  if (options === 'help') {
    print(queuesHelp);
    return exitCodes.done;
  }
  return showQueues(findTarget(process.env), options, print);
}

await runCommand(main);
