// Plays one scenario with the requests of its users and providers, and records the states that the functions reach.
import type { Answer } from '../../packages/apimachinery/answer.ts';
import type { Kubernetes } from '../../packages/apimachinery/client.ts';
import type { Instant, Intent, MergePatch, ObjectRef, Unstructured } from '../../packages/apimachinery/object.ts';
import type { ParityScenario } from './corpus.ts';
import type { CorpusCode, CorpusSnapshot, Recording, SeenObjects, Symbols } from './corpus-code.ts';
import type { Manifest, ScenarioStep, StepRef } from './steps.ts';

/** An API server with the functions, in virtual time. */
export interface ParityStage {
  /** The client of users and providers. */
  readonly kubernetes: Kubernetes;
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

export async function playScenario(scenario: ParityScenario, stage: ParityStage, code: CorpusCode): Promise<Recording> {
  return new Player(scenario, stage, code).play();
}

class Player {
  readonly #scenario: ParityScenario;
  readonly #stage: ParityStage;
  readonly #code: CorpusCode;
  readonly #namespace: string;
  /** The names by symbol. */
  readonly #namespaces: ReadonlyMap<string, string>;
  readonly #seen: SeenObjects = new Map();
  readonly #symbols: Symbols;
  readonly #snapshots: Recording['snapshots'][number][] = [];
  #changedAt: Instant;
  #pokes = 0;

  constructor(scenario: ParityScenario, stage: ParityStage, code: CorpusCode) {
    this.#scenario = scenario;
    this.#stage = stage;
    this.#code = code;
    this.#changedAt = stage.now();
    this.#namespace = `parity-${scenario.id}`;
    const further = scenario.namespaces.map(name => [`<ns:${name}>`, `${this.#namespace}-${name}`] as const);
    // The names are sorted by length, longest first, because a short name may be a prefix of another name.
    const longestFirst = further.toSorted(([, a], [, b]) => b.length - a.length);
    this.#namespaces = new Map([...longestFirst, ['<ns>', this.#namespace]]);
    this.#symbols = code.createSymbols({ namespaces: this.#namespaces, variables: {}, seen: this.#seen });
    const recorded = new Set(code.recordedKinds(scenario));
    stage.onChange(({ kind, metadata: { namespace, name, uid } }) => {
      if (recorded.has(kind) && [...this.#namespaces.values()].includes(namespace ?? '')) {
        this.#seen.set(uid, { kind, name });
        this.#changedAt = stage.now();
      }
    });
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
    }
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
      must(await this.#stage.kubernetes.delete(this.#find(gone)));
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
    if (!created.ok && created.failure.reason === 'AlreadyExists') {
      must(await kubernetes.mergePatch(ref, body, { fieldManager }));
    } else {
      must(created);
    }
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

  /** Waits until the system is idle and no recorded object changed for the idle time of the step. */
  async #settle({ name, quietSeconds = usualQuietSeconds, maxSeconds = usualMaxSeconds }: Settling): Promise<void> {
    const stage = this.#stage;
    const begin = stage.now();
    const isQuiet = async (): Promise<boolean> =>
      (await stage.isIdle()) && stage.now() - Math.max(begin, this.#changedAt) >= quietSeconds * 1000;
    let settled = await isQuiet();
    while (!settled && stage.now() - begin < maxSeconds * 1000) {
      await stage.sleep(lookEveryMs);
      settled = await isQuiet();
    }
    this.#snapshots.push({ name, ...(settled ? {} : { settled }), ...(await this.#snapshot()) });
  }

  async #snapshot(): Promise<CorpusSnapshot> {
    const objects: Unstructured[] = [];
    for (const kind of this.#code.recordedKinds(this.#scenario)) {
      objects.push(...(await this.#list(this.#code.kinds.get(kind)?.apiVersion ?? '', kind)));
    }
    return this.#code.normalise({ objects, events: await this.#list('v1', 'Event') }, this.#symbols);
  }

  async #list(apiVersion: string, kind: string): Promise<readonly Unstructured[]> {
    const lists = [...this.#namespaces.values()].map(namespace =>
      this.#stage.kubernetes.list({ apiVersion, kind, namespace }),
    );
    return (await Promise.all(lists)).flatMap(must).map(item => ({ ...item, apiVersion, kind }));
  }
}

type Settling = Exclude<NonNullable<ScenarioStep['settle']>, string>;

function must<T>(answer: Answer<T>): T {
  if (!answer.ok) {
    throw new Error(answer.failure.message);
  }
  return answer.value;
}
