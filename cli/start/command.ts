// `capi-serverless start`: reconciles the Clusters of an API server on this machine. Every function has a queue.
import { systemClock } from '@capi-serverless/apimachinery/system-clock';
import type { OpenPage } from '../../local/page-of-run.ts';
import { defineCommand } from '../command.ts';
import { untilInterrupted } from '../interrupted.ts';
import { parseStartOptions, startHelp, startOptions } from './options.ts';

const openPageOfRun: OpenPage = async ({ connection, queueUrls, port, watchFilter }) => {
  const { openPage } = await import('../ui/open-page.ts');
  const queues = { kind: 'local', queueUrls } as const;
  return openPage({ ...connection, queues, isHost: true, watchFilter, port, clock: systemClock });
};

export const startCommand = defineCommand({
  options: startOptions,
  help: () => startHelp,
  parse: parseStartOptions,
  async execute(options) {
    const { run } = await import('../../local/run.ts');
    return run(options, untilInterrupted(), openPageOfRun);
  },
});
