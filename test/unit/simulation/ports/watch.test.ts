import { getEventListeners } from 'node:events';
import type { Kubernetes } from '@capi-serverless/apimachinery';
import { expect, it } from 'vitest';
import { noFaults } from '../../../simulation/engine/faults.ts';
import { type Engine, SimulatedProcess } from '../../../simulation/engine/process.ts';
import { createRandom } from '../../../simulation/engine/random.ts';
import { Scheduler } from '../../../simulation/engine/scheduler.ts';
import { createTrace } from '../../../simulation/engine/trace.ts';
import { watchOver } from '../../../simulation/ports/watch.ts';

const engine: Engine = {
  scheduler: new Scheduler(0),
  random: createRandom('watch'),
  trace: createTrace(0, { keep: false }),
  faults: noFaults,
  resyncPeriodMs: undefined,
  largestSkewMs: 0,
  calls: 0,
  writes: [],
  forwarderCalls: [],
  atTheEnd: [],
};

/** A server whose watches stay open and deliver nothing. */
const server = {
  watches: {
    async *watch() {
      await new Promise(() => {});
    },
  },
} as unknown as Kubernetes; // true: a watch calls nothing else

it.each([
  { end: 'its process ends', stop: (process: SimulatedProcess) => process.end() },
  { end: 'it is aborted', stop: (_: SimulatedProcess, caller: AbortController) => caller.abort() },
])(
  'an open watch listens to its signal until $end, because Node keeps combined signals with listeners',
  async ({ stop }) => {
    const process = new SimulatedProcess(engine, { name: 'forwarder', skewMs: 0 });
    const caller = new AbortController();
    const signal = AbortSignal.any([caller.signal]);
    const network = { engine, process, random: createRandom('watch'), server };
    const options = { resourceVersion: '1', signal } as Parameters<typeof watchOver>[2]; // true: a network reads no more
    void watchOver(network, { apiVersion: 'v1', kind: 'Secret', as: 'metadata' }, options).next();
    await engine.scheduler.run(() => false);
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    stop(process, caller);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  },
);
