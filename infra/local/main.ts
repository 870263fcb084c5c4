// `npm start`: reconciles the Clusters of an API server on this machine, every function behind its queue.
import { once } from 'node:events';
import { toError } from '../../shared/kernel/errors.ts';
import { exitCodes } from './drive.ts';
import { help, parseOptions, UsageError } from './options.ts';
import { run } from './run.ts';

async function main(): Promise<number> {
  try {
    const options = parseOptions(process.argv.slice(2));
    if (options === 'help') {
      process.stdout.write(help);
      return exitCodes.done;
    }
    return await run(options, untilInterrupted());
  } catch (error) {
    return refuse(error);
  }
}

/** Aborts at the first Ctrl-C; the second one ends the process at once. */
function untilInterrupted(): AbortSignal {
  const interrupted = new AbortController();
  const interrupt = (): void => interrupted.abort();
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  return interrupted.signal;
}

function refuse(thrown: unknown): number {
  const error = toError(thrown);
  const isExpected = error instanceof UsageError;
  process.stderr.write(`capi-serverless: ${isExpected ? error.message : (error.stack ?? error.message)}\n`);
  return isExpected ? exitCodes.couldNotStart : exitCodes.broken;
}

const code = await main();
if (process.stdout.writableNeedDrain) {
  await once(process.stdout, 'drain');
}
process.exit(code);
