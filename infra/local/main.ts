// `npm start`: reconciles the Clusters of an API server on this machine, every function behind its queue.
import { once } from 'node:events';
import { exitCodes } from './drive.ts';
import { help, type Options, parseOptions, UsageError } from './options.ts';
import { run } from './run.ts';

async function main(): Promise<number> {
  let options: Options | 'help';
  try {
    options = parseOptions(process.argv.slice(2), process.env);
  } catch (error) {
    return refuse(error);
  }
  if (options === 'help') {
    process.stdout.write(help);
    return 0;
  }
  const interrupted = new AbortController();
  const interrupt = (): void => interrupted.abort();
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  try {
    return await run(options, interrupted.signal);
  } catch (error) {
    return refuse(error);
  }
}

function refuse(error: unknown): number {
  if (!(error instanceof UsageError)) {
    throw error;
  }
  process.stderr.write(`capi-serverless: ${error.message}\n`);
  return exitCodes.couldNotStart;
}

const code = await main();
if (process.stdout.writableNeedDrain) {
  await once(process.stdout, 'drain');
}
process.exit(code);
