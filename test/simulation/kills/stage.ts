// Runs one function on a stored state with its own clock. Nothing else runs, and no message is delivered.
import type { Instant, Unstructured } from '@capi-serverless/apimachinery';
import { parseRequest, toKeyText } from '../../../shared/workqueue/message.ts';
import { expandQueue } from '../../../shared/workqueue/queue-names.ts';
import { toVisibilitySeconds, workReceives } from '../../../shared/workqueue/queue-specs.ts';
import { aContext } from '../../support/lambda-events.ts';
import { normalise } from '../../support/normalise.ts';
import { type Faults, faultAt, noFaults } from '../engine/faults.ts';
import type { Engine } from '../engine/process.ts';
import { createRandom } from '../engine/random.ts';
import { Scheduler } from '../engine/scheduler.ts';
import { createTrace } from '../engine/trace.ts';
import { watchDrains } from '../oracles/drains.ts';
import { watchFinalizers } from '../oracles/finalizers.ts';
import { watchMachineFinalizers } from '../oracles/machine-finalizers.ts';
import { isResyncState } from '../oracles/resync-state.ts';
import { isOwnTemplate, watchRoles } from '../oracles/roles.ts';
import { createWorkloads, type SimulatedWorkloads } from '../ports/workload-api.ts';
import { type Commit, createSimulatedApi, type SimulatedApi } from '../system/api-server.ts';
import { createExtensions, type SimulatedExtensions } from '../system/extensions.ts';
import { type SimulatedFunction, type SimulatedReconciler, toFunctions } from '../system/functions.ts';
import { createSimulatedQueues, type Sent } from '../system/simulated-queues.ts';
import { type SimulatedWorld, toWorld } from '../system/stored-state.ts';
import { startProcess } from '../system/system.ts';
import type { Recorded } from './recorded.ts';

export interface Kill {
  /** The number of the call in the invocation: 1, 2, … */
  readonly call: number;
  readonly when: 'before' | 'after';
}

export interface InvocationEffects {
  readonly answered: boolean;
  /** The calls of ports, in order. */
  readonly calls: readonly string[];
  /** Commits and messages with their content. */
  readonly effects: readonly string[];
  /** Commits of this invocation, which change objects. */
  readonly commits: readonly string[];
  /** The objects that the invocation enqueued or for which it planned a timer. */
  readonly followUps: ReadonlySet<string>;
}

export class KillStage {
  readonly #recorded: Recorded;
  readonly #function: SimulatedFunction;
  readonly #engine: Engine;
  readonly #api: SimulatedApi;
  readonly #extensions: SimulatedExtensions;
  readonly #workloads: SimulatedWorkloads;
  readonly #queues: ReturnType<typeof createSimulatedQueues>;
  /** The numbers of `create Kind ns/name` and `delete Kind ns/name`, without Events and templates of topologies. */
  readonly changes = new Map<string, number>();
  readonly violations: string[] = [];
  #commits: Commit[] = [];
  #sent: Sent[] = [];
  #calls: string[] = [];
  #invocations = 0;

  constructor(recorded: Recorded, reconcilers: readonly SimulatedReconciler[]) {
    const { world, queue } = recorded;
    this.#recorded = recorded;
    this.#engine = createEngine(world.at);
    this.#api = createSimulatedApi(this.#engine, world);
    this.#extensions = createExtensions(world.answers);
    this.#workloads = createWorkloads(this.#engine, this.#api.core);
    this.#queues = createSimulatedQueues(
      this.#engine,
      reconcilers.map(({ declaration }) => declaration),
    );
    this.#function = functionOf(queue, reconcilers, this.#api);
    const report = (text: string): void => void this.violations.push(text);
    watchDrains(this.#workloads, report);
    const oracles = [
      watchFinalizers(this.#api, report),
      watchMachineFinalizers(this.#api, report),
      watchRoles(this.#api, report),
    ];
    this.#api.onCommit(commit => {
      this.#commits.push(commit);
      this.#count(commit);
      for (const oracle of oracles) {
        oracle.committed?.(commit);
      }
    });
    this.#queues.onSent(sent => void this.#sent.push(sent));
  }

  get queue(): string {
    return this.#recorded.queue;
  }

  /** A new process handles the event and is killed, or ends after its answer. Resolves after all its effects. */
  async invoke(kill?: Kill): Promise<InvocationEffects> {
    const engine = this.#engine;
    this.#invocations += 1;
    this.#commits = [];
    this.#sent = [];
    this.#calls = [];
    engine.faults = this.#recording(kill);
    engine.calls = 0;
    const { name, timeoutSeconds } = this.#function;
    const { process, around } = this.#start(`${name}.${this.#invocations}`);
    let answered = false;
    const end = (): void => process.end();
    engine.scheduler.after(timeoutSeconds * 1000, end, process);
    const handler = this.#function.load(around);
    handler(this.#recorded.event, aContext(process.clock, timeoutSeconds)).then(() => {
      answered = true;
      end();
    }, end);
    await engine.scheduler.run(() => false);
    return { answered, calls: this.#calls, ...this.#effects() };
  }

  /** Waits until the queue delivers the messages of the first invocation again, for the n-th time. */
  async untilDelivered(times: number): Promise<void> {
    const { scheduler } = this.#engine;
    const { timeoutSeconds } = this.#function;
    const visibilityMs = toVisibilitySeconds({ timeoutSeconds, maxReceiveCount: workReceives }) * 1000;
    scheduler.after(this.#recorded.world.at + times * visibilityMs - scheduler.now, () => {});
    await scheduler.run(() => false);
  }

  /** Returns objects by kind, namespace and name, without versions, times and field owners. Events are excluded. */
  objects(): ReadonlyMap<string, string> {
    return this.#texts(normalise);
  }

  /** Returns the owners of fields, without times. */
  fieldOwners(): ReadonlyMap<string, string> {
    return this.#texts(object => fieldsIn(object.metadata, 'managedFields'));
  }

  #texts(part: (object: Unstructured) => unknown): ReadonlyMap<string, string> {
    const objects = [...this.#api.objects()].filter(([, object]) => object.kind !== 'Event' && !isResyncState(object));
    return new Map(
      objects.map(([name, object]) => [name, String(JSON.stringify(part(object))).replaceAll(times, '<time>')]),
    );
  }

  world(): SimulatedWorld {
    return toWorld({ api: this.#api, extensions: this.#extensions }, this.#engine.scheduler.now);
  }

  #start(name: string) {
    const ignore = (): void => {};
    return startProcess({
      engine: this.#engine,
      api: this.#api,
      queues: this.#queues,
      extensions: this.#extensions,
      workloads: this.#workloads,
      name,
      onServed: ignore,
      onAnswered: ignore,
      onMetric: ignore,
      onLog: ({ fields }) => {
        if (typeof fields['stack'] === 'string') {
          this.violations.push(`${name} met a defect: ${fields['stack']}`);
        }
      },
    });
  }

  #recording(kill: Kill | undefined): Faults {
    const faults = kill === undefined ? noFaults : faultAt(kill.call, { do: 'kill', when: kill.when });
    return {
      ...faults,
      at: point => {
        this.#calls.push(point.label);
        return faults.at(point);
      },
    };
  }

  #effects(): Pick<InvocationEffects, 'effects' | 'commits' | 'followUps'> {
    const commits = this.#commits.map(({ type, object, writer }) => ({ type, object, writer }));
    // Each run of the resync writes its ConfigMap.
    const own = commits.filter(
      ({ object, writer }) => writer !== 'server' && object.kind !== 'Event' && !isResyncState(object),
    );
    return {
      effects: [...commits, ...this.#sent].map(effect => JSON.stringify(effect)),
      commits: own.map(({ type, object }) => `${type} ${object.kind} ${object.metadata.name}`),
      followUps: new Set(this.#sent.map(toFollowUp)),
    };
  }

  #count({ type, object }: Commit): void {
    if (type !== 'MODIFIED' && object.kind !== 'Event' && !isOwnTemplate(object)) {
      const { namespace = '', name } = object.metadata;
      const change = `${type === 'ADDED' ? 'create' : 'delete'} ${object.kind} ${namespace}/${name}`;
      this.changes.set(change, (this.changes.get(change) ?? 0) + 1);
    }
  }
}

/** Times inside other texts are also replaced, for example in annotations. */
const times = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;

function fieldsIn(of: object, name: string): unknown {
  return Object.entries(of).find(([field]) => field === name)?.[1];
}

function createEngine(start: Instant): Engine {
  return {
    scheduler: new Scheduler(start),
    random: createRandom('kills'),
    trace: createTrace(start, { keep: false }),
    faults: noFaults,
    resyncPeriodMs: undefined,
    largestSkewMs: 0,
    calls: 0,
    writes: [],
    forwarderCalls: [],
    atTheEnd: [],
  };
}

function functionOf(
  queue: Recorded['queue'],
  reconcilers: readonly SimulatedReconciler[],
  { core }: SimulatedApi,
): SimulatedFunction {
  const endpoint = core.registry.endpointOfKind('v1', 'Namespace');
  const managementCluster = core.get({ endpoint, namespace: '', name: 'kube-system' }).metadata.uid;
  const functions = toFunctions(reconcilers, {
    managementCluster,
    resyncPeriodMs: undefined,
    readsManagementCluster: false,
  });
  const found = functions.find(each => each.queue === queue);
  if (found === undefined) {
    throw new Error(`No function serves the queue ${queue}`);
  }
  return found;
}

/** A retry is a different follow-up than the timer of an object without errors. */
function toFollowUp({ queue, message: { body } }: Sent): string {
  if (queue === expandQueue) {
    return `${queue} ${body}`;
  }
  const { key, attempt } = parseRequest(body);
  return `${queue} ${toKeyText(key)}${attempt === 0 ? '' : ' again'}`;
}
