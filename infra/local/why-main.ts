// `npm run why -- NAMESPACE/NAME`: tells what a Cluster waits for.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { toError } from '../../shared/kernel/errors.ts';
import { connect } from './connect.ts';
import { exitCodes } from './drive.ts';
import { UsageError } from './options.ts';
import { terminalOf } from './view/terminal.ts';
import { parseWhyOptions, type WhyOptions, why, whyClass, whyExtension, whyHelp } from './why.ts';

/** Written by the local run that brings its own API server. */
const ownKubeconfig = fileURLToPath(new URL('../../dist/kubeconfig', import.meta.url));

async function main(): Promise<number> {
  try {
    const options = parseWhyOptions(process.argv.slice(2));
    if (options === 'help') {
      process.stdout.write(whyHelp);
      return exitCodes.done;
    }
    return await ask(options);
  } catch (thrown) {
    const error = toError(thrown);
    const isExpected = error instanceof UsageError;
    process.stderr.write(`capi-serverless: ${isExpected ? error.message : (error.stack ?? error.message)}\n`);
    return isExpected ? exitCodes.couldNotStart : exitCodes.broken;
  }
}

async function ask(options: WhyOptions): Promise<number> {
  const { kubeconfig } = options;
  if (kubeconfig === undefined && !existsSync(ownKubeconfig)) {
    throw new UsageError('No API server to ask: start one with npm start, or pass --kubeconfig FILE');
  }
  const connection = await connect(kubeconfig ?? ownKubeconfig);
  const terminal = terminalOf(process.stdout, process.env);
  try {
    const context = {
      reads: connection.kubernetes,
      write: (text: string) => process.stdout.write(text),
      // What is no terminal has no right margin.
      columns: terminal?.columns() ?? Number.POSITIVE_INFINITY,
      color: terminal?.color ?? false,
    };
    if ('clusterClass' in options) {
      return await whyClass(options.clusterClass, context);
    }
    return await ('cluster' in options ? why(options.cluster, context) : whyExtension(options.extension, context));
  } finally {
    await connection.close();
  }
}

// The connection to the API server stays open for a while: nobody waits for that.
process.exit(await main());
