// Plays one scenario with the requests of its users and providers, and records the states that the functions reach.
import type {
  Answer,
  Instant,
  Intent,
  Kubernetes,
  MergePatch,
  ObjectRef,
  Unstructured,
} from '@capi-serverless/apimachinery';
import { toTimestamp } from '@capi-serverless/apimachinery/timestamp';
import { mostLateMs } from '../../shared/workqueue/timer-grid.ts';
import type { ParityScenario } from './corpus.ts';
import type { CorpusCode, CorpusSnapshot, Recording, Symbols } from './corpus-code.ts';
import { toCorpusRequest } from './corpus-requests.ts';
import { MachineOrders } from './machine-orders.ts';
import { RecordedObjects } from './recorded-objects.ts';
import type { Manifest, ScenarioStep, StepRef } from './steps.ts';

/** An API server with the functions, in virtual time. */
export interface ParityStage {
  /** The client of users and providers. */
  readonly kubernetes: Kubernetes;
  /** The API server, which is also the workload cluster of Clusters with this kubeconfig. */
  readonly server: { readonly url: string; readonly kubeconfig: string };
  now(): Instant;
  sleep(ms: number): Promise<void>;
  /** Calls the listener with every stored change of the recorded kinds. */
  onChange(listener: (object: Unstructured) => void): void;
  /**
   * Resolves when no function runs, no message is in a queue, no timer is due, and the event source has sent every
   * change.
   */
  isIdle(): Promise<boolean>;
  /** The number of accepted requests of the functions, by kind and verb. */
  writesIn(namespaces: readonly string[]): Promise<Recording['writes']>;
}

/** The name of the writer for users and providers. */
export const user = 'user';

/** The field manager that the corpus normalization expects for users and providers. */
const fieldManager = 'parity-recorder';
const usualQuietSeconds = 3;
const usualMaxSeconds = 60;
const lookEveryMs = 100;
/** The recorded controllers handle a change before the next step. */
const pauseMs = 500;
/**
 * All recorded controllers of the Machine family write conditions of the same objects. Here, the forwarder may hold back
 * a second change of an object for a second.
 */
const familyPauseMs = 1_500;

export async function playScenario(scenario: ParityScenario, stage: ParityStage, code: CorpusCode): Promise<Recording> {
  return new Player(scenario, stage, code).play();
}

class Player {
  readonly #scenario: ParityScenario;
  readonly #stage: ParityStage;
  readonly #code: CorpusCode;
  /** The names by symbol. */
  readonly #namespaces: ReadonlyMap<string, string>;
  readonly #objects: RecordedObjects;
  readonly #symbols: Symbols;
  readonly #machines: MachineOrders;
  readonly #snapshots: Recording['snapshots'][number][] = [];
  readonly #pauseMs: number;
  #pokes = 0;

  constructor(scenario: ParityScenario, stage: ParityStage, code: CorpusCode) {
    this.#scenario = scenario;
    this.#stage = stage;
    this.#code = code;
    const namespace = `parity-${scenario.id}`;
    const further = scenario.namespaces.map(name => [`<ns:${name}>`, `${namespace}-${name}`] as const);
    // The names are sorted by length, longest first, because a short name may be a prefix of another name.
    const longestFirst = further.toSorted(([, a], [, b]) => b.length - a.length);
    this.#namespaces = new Map([...longestFirst, ['<ns>', namespace]]);
    const now = (): Instant => stage.now();
    const namespaces = [namespace, ...further.map(([, name]) => name)];
    this.#objects = new RecordedObjects({ scenario, code, namespaces, now });
    const family = code.isFamily(scenario);
    this.#pauseMs = family ? familyPauseMs : pauseMs;
    this.#symbols = code.createSymbols({
      namespaces: this.#namespaces,
      variables: toVariables(scenario, stage),
      seen: this.#objects.seen,
      family,
      times: family ? (JSON.stringify(scenario.steps).match(timeForm) ?? []) : [],
    });
    const request = toCorpusRequest({ kubernetes: stage.kubernetes, kinds: code.kinds, fieldManager, now });
    this.#machines = new MachineOrders(code.createMachines(request, namespace), ms => stage.sleep(ms));
    stage.onChange(object => this.#objects.see(object));
  }

  async play(): Promise<Recording> {
    for (const name of this.#namespaces.values()) {
      must(await this.#stage.kubernetes.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }));
    }
    const errors: NonNullable<Recording['errors']>[number][] = [];
    for (const [index, step] of this.#scenario.steps.entries()) {
      const [verb = ''] = Object.keys(step);
      await this.#perform(step).catch((error: unknown) => {
        errors.push({ step: index, verb, error: this.#symbols.mask(String(error)) });
      });
      await this.#stage.sleep(this.#pauseMs);
    }
    this.#machines.stop();
    return {
      id: this.#scenario.id,
      snapshots: this.#snapshots,
      ...(errors.length === 0 ? {} : { errors }),
      writes: await this.#stage.writesIn([...this.#namespaces.values()]),
    };
  }

  async #perform({
    apply,
    patch,
    patchStatus,
    poke,
    delete: gone,
    removeFinalizers,
    playMachines,
    wait,
    settle,
  }: ScenarioStep): Promise<void> {
    for (const manifest of apply ?? []) {
      await this.#apply(manifest);
    }
    if (patch !== undefined) {
      await this.#patch(patch, patch.patch);
    }
    if (patchStatus !== undefined) {
      await this.#patch(patchStatus, { status: patchStatus.status }, 'status');
    }
    if (poke !== undefined) {
      this.#pokes += 1;
      await this.#patch(poke, { metadata: { annotations: { 'parity.example.com/poke': String(this.#pokes) } } });
    }
    if (removeFinalizers !== undefined) {
      await this.#patch(removeFinalizers, { metadata: { finalizers: null } });
    }
    if (gone !== undefined) {
      const { gracePeriodSeconds } = gone;
      const options = gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds };
      must(await this.#stage.kubernetes.delete(this.#find(gone), options));
    }
    if (playMachines !== undefined) {
      await this.#machines.perform(this.#symbols.resolve(playMachines));
    }
    if (wait !== undefined) {
      await this.#stage.sleep(wait.seconds * 1000);
    }
    if (settle !== undefined) {
      await this.#settle(typeof settle === 'string' ? { name: settle } : settle);
    }
  }

  /** Creates the object, or patches the existing one. */
  async #apply(manifest: Manifest): Promise<void> {
    const { status, ...object } = this.#symbols.resolve(manifest);
    const { namespace: within, ...metadata } = object.metadata;
    this.#symbols.applied.add(`${object.kind}/${metadata.name}`);
    const ref = this.#find({
      kind: object.kind,
      name: metadata.name,
      apiVersion: object.apiVersion,
      namespace: within,
    });
    const { apiVersion, kind, namespace } = ref;
    const body = { ...object, apiVersion, kind };
    const intent: Intent = { ...body, metadata: { ...metadata, ...(namespace === undefined ? {} : { namespace }) } };
    const { kubernetes } = this.#stage;
    const created = await kubernetes.create(intent, { fieldManager });
    const stored =
      !created.ok && created.failure.reason === 'AlreadyExists'
        ? must(await kubernetes.mergePatch(ref, body, { fieldManager }))
        : must(created);
    this.#objects.seen.set(stored.metadata.uid, { kind, name: stored.metadata.name });
    if (status !== undefined) {
      must(await kubernetes.mergePatch(ref, { status }, { fieldManager, subresource: 'status' }));
    }
  }

  async #patch(of: StepRef, body: MergePatch, subresource?: 'status'): Promise<void> {
    const options = { fieldManager, ...(subresource === undefined ? {} : { subresource }) };
    must(await this.#stage.kubernetes.mergePatch(this.#find(of), this.#symbols.resolve(body), options));
  }

  #find({ kind, name, apiVersion, namespace = '<ns>' }: StepRef): ObjectRef {
    const known = this.#code.kinds.get(kind);
    if (known === undefined) {
      throw new Error(`The corpus knows no kind ${kind}`);
    }
    const scope = known.cluster === true ? {} : { namespace: this.#symbols.resolve(namespace) };
    return { apiVersion: apiVersion ?? known.apiVersion, kind, name: this.#symbols.resolve(name), ...scope };
  }

  /**
   * Waits until the system is idle and no recorded object changed for the idle time of the step. The recorded
   * controllers fire their timers on time. Here, a timer of the idle time may be late, so the wait includes its lateness.
   */
  async #settle({ name, quietSeconds = usualQuietSeconds, maxSeconds = usualMaxSeconds }: Settling): Promise<void> {
    const stage = this.#stage;
    const begin = stage.now();
    const quietMs = quietSeconds * 1000;
    const idleMs = quietMs + mostLateMs(quietMs);
    const isQuiet = async (): Promise<boolean> =>
      (await stage.isIdle()) && stage.now() - Math.max(begin, this.#objects.changedAt) >= idleMs;
    let settled = await isQuiet();
    while (!settled && stage.now() - begin < maxSeconds * 1000) {
      await stage.sleep(lookEveryMs);
      settled = await isQuiet();
    }
    this.#snapshots.push({ name, ...(settled ? {} : { settled }), ...(await this.#snapshot()) });
  }

  async #snapshot(): Promise<CorpusSnapshot> {
    const objects: Unstructured[] = [];
    for (const kind of this.#objects.kinds) {
      objects.push(...(await this.#list(this.#code.kinds.get(kind)?.apiVersion ?? '', kind)));
    }
    return this.#code.normalise({ objects, events: await this.#list('v1', 'Event') }, this.#symbols);
  }

  async #list(apiVersion: string, kind: string): Promise<readonly Unstructured[]> {
    const isGlobal = this.#code.kinds.get(kind)?.cluster === true;
    const scopes = isGlobal ? [{}] : [...this.#namespaces.values()].map(namespace => ({ namespace }));
    const lists = scopes.map(scope => this.#stage.kubernetes.list({ apiVersion, kind, ...scope }));
    // A kind that is not served has no objects.
    return (await Promise.all(lists))
      .flatMap(answer => (!answer.ok && answer.missing ? [] : must(answer)))
      .map(item => ({ ...item, apiVersion, kind }))
      .filter(item => this.#objects.owns(item));
  }
}

const timeForm = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g;

/** The values of `$(name)` in this run. Only a scenario that uses the API server names its address. */
function toVariables(scenario: ParityScenario, { server, now }: ParityStage): Readonly<Record<string, unknown>> {
  const url = new URL(server.url);
  return {
    ...(JSON.stringify(scenario.steps).includes('$(apiserver') ? { server: url } : {}),
    get now() {
      return toTimestamp(now());
    },
    'apiserver.host': url.hostname,
    'apiserver.kubeconfig': Buffer.from(server.kubeconfig).toString('base64'),
  };
}

type Settling = Exclude<NonNullable<ScenarioStep['settle']>, string>;

function must<T>(answer: Answer<T>): T {
  if (!answer.ok) {
    throw new Error(answer.failure.message);
  }
  return answer.value;
}
