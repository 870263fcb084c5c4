// Two provider generations on one event path, on any API server: an actuator of v1alpha1 Clusters, and the current
// reconcilers. Tests advance time. Time stops while a request is in progress, and until watches have delivered a write.
import { setImmediate } from 'node:timers/promises';
import type { Instant, Kubernetes } from '@capi-serverless/apimachinery';
import {
  type ActuatorContext,
  type ActuatorDeleteContext,
  type ClusterActuator,
  defineClusterActuator,
  type RequeueAfter,
  type Terminal,
} from '@capi-serverless/provider-sdk';
import type { Declaration } from '@capi-serverless/reconciler';
import { clusterReconciler } from '../../../functions/cluster/reconciler.ts';
import { simulatedCluster } from '../../../local/provider/simulated-cluster.ts';
import type { ReconcileFact, RequestFact } from '../../../shared/diagnostics/channels.ts';
import { parseRequest, type Request } from '../../../shared/workqueue/message.ts';
import { delayQueue } from '../../../shared/workqueue/queue-names.ts';
import { type EventPath, served, startEventPath, startTally } from '../../support/event-path.ts';
import { fakeSigner, fakeWorkload } from '../../support/fake-remote.ts';
import { SteppedClock } from '../../support/stepped-clock.ts';
import { RealTime } from './real-time.ts';

/** The name of the actuator, its function and its user. */
export const actuatorName = 'old-cluster';

interface Call {
  readonly verb: 'reconcile' | 'delete';
  readonly name: string;
  readonly at: Instant;
  readonly context: ActuatorContext | ActuatorDeleteContext;
}

/** The outcome of a call to the author's code. Default: success. */
type Act = (call: Call) => undefined | RequeueAfter | Terminal | Promise<undefined | RequeueAfter | Terminal>;

interface Author {
  /** Returns the calls in the order of their start. */
  callsOf(name: string, verb: Call['verb']): readonly Call[];
  /** Sets the outcome for the Clusters of this name. Default: success. */
  does(name: string, verb: Call['verb'], act: Act): void;
}

export interface GenerationsWorld {
  readonly author: Author;
  readonly path: EventPath;
  /** Returns the client of the tests. Time stops for its requests, too. */
  client(): Kubernetes;
  /** What did not arrive after minutes of real time. */
  readonly problems: readonly string[];
  /** The declaration of the actuator. */
  readonly declaration: Declaration;
  /** The requests of all functions, the forwarder and the tests. The client of the tests is `tests`. */
  readonly requests: readonly RequestFact[];
  /** The reconciles in the order of their end. */
  readonly reconciles: readonly ReconcileFact[];
  now(): Instant;
  /** The number of timers that are scheduled for this Cluster of the actuator. */
  timersOf(name: string): readonly Request[];
  /** Advances time by this number of milliseconds. */
  pass(ms: number): Promise<void>;
  /** Steps time until `isSo` is true. Throws after a limit. */
  until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void>;
  /** Advances time until all received events are processed. */
  rest(): Promise<void>;
  stop(): Promise<void>;
}

const stepMs = 100;
const longestMs = 120_000;
/** The time is longer than a debounce window. */
const restMs = 3_000;

export function startGenerations(kubernetes: (client: string) => Kubernetes, start: Instant): GenerationsWorld {
  const clock = new SteppedClock(start);
  const real = new RealTime();
  const { actuator, author } = createActuator();
  const tally = startTally();
  const path = startEventPath({
    clock,
    reconcilers: [
      served(clusterReconciler, { signer: fakeSigner(), workload: fakeWorkload() }),
      served(simulatedCluster, {}),
      served(actuator, {}),
    ],
    kubernetes: name => real.stopsFor(kubernetes(name)),
    sendMs: 0,
  });
  const { step, pass } = stepsOf(clock, real);
  return {
    author,
    path,
    client: () => real.stopsFor(kubernetes('tests')),
    problems: real.problems,
    declaration: actuator.declaration,
    requests: tally.requests,
    reconciles: tally.reconciles,
    now: () => clock.now(),
    timersOf: name =>
      path.queues
        .messages(delayQueue)
        .map(({ body }) => parseRequest(body))
        .filter(({ reconciler, key }) => reconciler === actuatorName && key.name === name),
    pass,
    async until(what, isSo) {
      const end = clock.now() + longestMs;
      while (!(await isSo())) {
        if (clock.now() > end) {
          throw new Error(`Waited in vain: ${what}`);
        }
        await step();
      }
    },
    async rest() {
      do {
        await pass(restMs);
      } while (path.isBusy());
    },
    async stop() {
      await path.stop();
      tally.stop();
    },
  };
}

/** Steps of time. Each waits for the real time of what it causes. */
function stepsOf(clock: SteppedClock, real: RealTime) {
  const step = async (): Promise<void> => {
    await clock.advance(stepMs);
    do {
      await real.over();
      // What follows from the last response may send further requests.
      await setImmediate();
    } while (real.isBusy);
  };
  const pass = async (ms: number): Promise<void> => {
    for (const end = clock.now() + ms; clock.now() < end; ) {
      await step();
    }
  };
  return { step, pass };
}

/** The test sets the outcome of each call. */
function createActuator(): { readonly actuator: ClusterActuator; readonly author: Author } {
  const calls: Call[] = [];
  const acts = new Map<string, Act>();
  const act = async (verb: Call['verb'], context: ActuatorContext | ActuatorDeleteContext) => {
    const { name } = context.cluster.metadata;
    const call = { verb, name, at: context.now, context };
    calls.push(call);
    return acts.get(`${verb} ${name}`)?.(call);
  };
  const actuator = defineClusterActuator({
    group: 'cluster.k8s.io',
    version: 'v1alpha1',
    name: actuatorName,
    status: ['network'],
    reconcile: context => act('reconcile', context),
    delete: context => act('delete', context),
  });
  return {
    actuator,
    author: {
      callsOf: (name, verb) => calls.filter(call => call.name === name && call.verb === verb),
      does: (name, verb, what) => acts.set(`${verb} ${name}`, what),
    },
  };
}
