// Which functions there are, and the queue that triggers each: derived from the declarations, for the local run and the deployment alike.
import { declarations } from '../functions/declarations.ts';
import type { Declaration } from '../shared/kernel/types.ts';
import { delayQueue, expandQueue, workQueueOf } from '../shared/workqueue/queue-names.ts';
import { resyncTimeoutSeconds, timerTimeoutSeconds } from '../shared/workqueue/queue-specs.ts';
import type { FunctionEntry } from './bundles/bundle.ts';

export interface FunctionPlan extends FunctionEntry {
  readonly queue: string;
  readonly timeoutSeconds: number;
}

export const timerFunction = 'timer';
export const resyncFunction = 'resync';

/** `folder` holds one folder per declaration with its handler. */
export function toReconcilerFunctions(reconcilers: readonly Declaration[], folder: string): readonly FunctionPlan[] {
  return reconcilers.map(({ name, timeoutSeconds }) => ({
    name,
    entry: `${folder}/${name}/handler.ts`,
    queue: workQueueOf(name),
    timeoutSeconds,
  }));
}

/** The functions between the queues. */
export const plumbingFunctions: readonly FunctionPlan[] = [
  { name: timerFunction, entry: 'functions/timer/handler.ts', queue: delayQueue, timeoutSeconds: timerTimeoutSeconds },
  {
    name: resyncFunction,
    entry: 'functions/resync/handler.ts',
    queue: expandQueue,
    timeoutSeconds: resyncTimeoutSeconds,
  },
];

/** What a deployment consists of. */
export const deployedFunctions: readonly FunctionPlan[] = [
  ...toReconcilerFunctions(declarations, 'functions'),
  ...plumbingFunctions,
];

/** The process that watches the management cluster, for a container: bundled into one file, started by `node <file>`. */
export const forwarderProgram: FunctionEntry = { name: 'watch-forwarder', entry: 'functions/watch-forwarder/main.ts' };
