// `capi-serverless why`: prints what an object waits for.
import { existsSync } from 'node:fs';
import { declarations } from '../../functions/declarations.ts';
import { connect } from '../../local/connect.ts';
import { embeddedKubeconfigPath } from '../../local/embedded.ts';
import { UsageError } from '../../local/usage-error.ts';
import { terminalOf } from '../../local/view/terminal.ts';
import { defineCommand, type Print } from '../command.ts';
import { untilInterrupted } from '../interrupted.ts';
import { whyFleet } from './fleet.ts';
import { parseWhyOptions, toWhyHelp, type WhyOptions, whyOptions } from './options.ts';
import { pauseUntil, watchAnswers } from './watch-answers.ts';
import { why } from './why.ts';

export const whyCommand = defineCommand({
  options: whyOptions,
  operands: declarations.map(({ name }) => name),
  help: toWhyHelp,
  parse: parseWhyOptions,
  execute: explain,
});

async function explain(options: WhyOptions, print: Print): Promise<number> {
  const { kubeconfig } = options;
  if (kubeconfig === undefined && !existsSync(embeddedKubeconfigPath)) {
    throw new UsageError('No API server to read from: run capi-serverless start, or pass --kubeconfig FILE');
  }
  const connection = await connect(kubeconfig ?? embeddedKubeconfigPath);
  const terminal = terminalOf(process.stdout, process.env);
  try {
    const context = {
      reads: connection.kubernetes,
      // A file or pipe has no line width.
      columns: terminal?.columns() ?? Number.POSITIVE_INFINITY,
      color: terminal?.color ?? false,
      json: options.json,
    };
    const ask = (write: Print) =>
      'isFleet' in options ? whyFleet({ ...context, write }) : why(options, { ...context, write });
    return await (options.watch
      ? watchAnswers(ask, { write: print, pause: pauseUntil(untilInterrupted()) })
      : ask(print));
  } finally {
    await connection.close();
  }
}
