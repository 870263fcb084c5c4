// Ends the process with the command's exit code, or with one line: why it could not start.
import { once } from 'node:events';
import { toError } from '@capi-serverless/reconciler';
import { exitCodes } from './exit-codes.ts';
import { UsageError } from './usage-error.ts';

/** Ends the process with the code that the command resolves with; 2 for a UsageError, 3 for a defect of this program. */
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
