// What the commands of this project have in common: one line and an exit code when they cannot start.
import { once } from 'node:events';
import { toError } from '../../shared/kernel/errors.ts';
import { exitCodes } from './drive.ts';
import { UsageError } from './options.ts';

/** Runs the command and ends the process with the code that it answers; 2 for a UsageError, 3 for a mistake of ours. */
export async function runCommand(command: () => Promise<number>): Promise<never> {
  const code = await command().catch(refuse);
  if (process.stdout.writableNeedDrain) {
    await once(process.stdout, 'drain');
  }
  process.exit(code);
}

function refuse(thrown: unknown): number {
  const error = toError(thrown);
  const isExpected = error instanceof UsageError;
  process.stderr.write(`capi-serverless: ${isExpected ? error.message : (error.stack ?? error.message)}\n`);
  return isExpected ? exitCodes.couldNotStart : exitCodes.broken;
}
