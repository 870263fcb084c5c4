// `capi-serverless start`: reconciles the Clusters of an API server on this machine. Every function has a queue.
import { defineCommand } from '../command.ts';
import { untilInterrupted } from '../interrupted.ts';
import { parseStartOptions, startHelp, startOptions } from './options.ts';

export const startCommand = defineCommand({
  options: startOptions,
  help: () => startHelp,
  parse: parseStartOptions,
  async execute(options) {
    const { run } = await import('../../local/run.ts');
    return run(options, untilInterrupted());
  },
});
