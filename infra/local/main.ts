// `npm start`: reconciles the Clusters of an API server on this machine, every function behind its queue.
import { runCommand } from './command.ts';
import { exitCodes } from './drive.ts';
import { help, parseOptions } from './options.ts';
import { run } from './run.ts';

async function main(): Promise<number> {
  const options = parseOptions(process.argv.slice(2));
  if (options === 'help') {
    process.stdout.write(help);
    return exitCodes.done;
  }
  return run(options, untilInterrupted());
}

/** Aborts at the first Ctrl-C; the second one ends the process at once. */
function untilInterrupted(): AbortSignal {
  const interrupted = new AbortController();
  const interrupt = (): void => interrupted.abort();
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  return interrupted.signal;
}

await runCommand(main);
