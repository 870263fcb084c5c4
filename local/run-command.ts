// Ends the process with the exit code of the command. If the command could not start, prints the reason in one line.
import { once } from 'node:events';
import { toError } from '@capi-serverless/reconciler';
import { exitCodes } from './exit-codes.ts';
import { UsageError } from './usage-error.ts';

/**
 * Ends the process with the resolved exit code of the command. Exit code 2 means a UsageError, 3 means a defect of this
 * program.
 */
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
