// `capi-serverless ui`: a page about the Clusters of an API server.

import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { systemClock } from '@capi-serverless/apimachinery/system-clock';
import { connect } from '../../local/connect.ts';
import { embeddedKubeconfigPath } from '../../local/embedded.ts';
import { exitCodes } from '../../local/exit-codes.ts';
import { findTarget, type QueueTarget } from '../../local/queue-target.ts';
import { UsageError } from '../../local/usage-error.ts';
import { defineCommand, type Print } from '../command.ts';
import { untilInterrupted } from '../interrupted.ts';
import { parseUiOptions, type UiOptions, uiHelp, uiOptions } from './options.ts';

export const uiCommand = defineCommand({
  options: uiOptions,
  help: () => uiHelp,
  parse: parseUiOptions,
  execute: show,
});

async function show({ kubeconfig, port, json }: UiOptions, print: Print): Promise<number> {
  if (kubeconfig === undefined && !existsSync(embeddedKubeconfigPath)) {
    throw new UsageError('No API server to read from: run capi-serverless start, or pass --kubeconfig FILE');
  }
  const interrupted = untilInterrupted();
  const connection = await connect(kubeconfig ?? embeddedKubeconfigPath);
  try {
    const { openPage } = await import('./open-page.ts');
    const page = await openPage({
      ...connection,
      queues: knownQueues(),
      ...{ isHost: false, watchFilter: '', port, clock: systemClock },
    });
    print(json ? `${JSON.stringify({ url: page.url }, undefined, 2)}\n` : `${page.url}\n`);
    if (!interrupted.aborted) {
      await once(interrupted, 'abort');
    }
    await page.stop();
    return exitCodes.done;
  } finally {
    await connection.close();
  }
}

/** Without queues, the page shows everything else. */
function knownQueues(): QueueTarget | undefined {
  try {
    return findTarget(process.env);
  } catch (thrown) {
    if (thrown instanceof UsageError) {
      return undefined;
    }
    throw thrown;
  }
}
