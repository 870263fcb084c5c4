// One object of the provider and its Cluster on a server: begun as the Cluster's controller leaves them, one pass at a time.
import type { Answer } from '../../api/answer.ts';
import { type MergePatch, type ObjectRef, toApiVersion, toDisplayName, type Unstructured } from '../../api/object.ts';
import { clusterNameLabel } from '../../contract/owner-references.ts';
import { readBoolean, valueOr } from '../../contract/path.ts';
import { providerPaths } from '../../contract/provider-paths.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import { type PassEnd, runPass } from '../../kernel/pass.ts';
import type { Kubernetes } from '../../kubernetes/port.ts';
import { conditionOf } from './expectations.ts';
import type { ConformanceSetup, Step } from './setup.ts';

export interface World {
  readonly setup: ConformanceSetup;
  readonly ref: ObjectRef;
  readonly cluster: ObjectRef;
  readonly finalizer: string;
  /** `undefined`: it is gone. */
  find(): Promise<Unstructured | undefined>;
  read(ref: ObjectRef): Promise<Unstructured>;
  /** Of the object; other objects by reference. Throws when it is refused. */
  patch(body: MergePatch, ref?: ObjectRef): Promise<void>;
  take(step: Step): Promise<void>;
  remove(ref: ObjectRef): Promise<void>;
  /** One pass by this client; then as much time goes by as the provider asked for. `undefined`: there is no object. */
  pass(kubernetes?: Kubernetes): Promise<PassEnd | undefined>;
  /** Passes until `isThere` held through some of them. Throws when it never does. */
  settle(isThere: (object: Unstructured | undefined) => boolean, pass?: () => Promise<unknown>): Promise<void>;
  settleReady(pass?: () => Promise<unknown>): Promise<Unstructured>;
  settleGone(): Promise<void>;
}

export interface WorldParts {
  /** Default true: the Cluster's controller was here. */
  readonly owned?: boolean;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  /** Of the Cluster. Default: an endpoint where the provider does not supply one. */
  readonly clusterSpec?: Readonly<Record<string, unknown>>;
}

/** A provider that takes more steps than this is taken to hang. */
const mostPasses = 200;
const steadyPasses = 3;
/** Longer waits would not show anything more, and an error's delay is the queue's business. */
const errorDelayMs = 1_000;

const clusterApiVersion = 'cluster.x-k8s.io/v1beta2';
export const suiteEndpoint = { host: 'endpoint-of-the-cluster.example', port: 6443 } as const;
const silentLog: Log = { debug() {}, info() {}, error() {}, with: () => silentLog };

/** Stores a Cluster and an object that it owns. Throws when one of them is refused. */
export async function beginWorld(setup: ConformanceSetup, parts: WorldParts = {}): Promise<World> {
  const { primary } = setup.provider.declaration;
  const { ref, cluster } = refsOf(setup, setup.newId());
  const { name } = ref;
  const home = { namespace: setup.namespace, name };
  const kubernetes = setup.kubernetes();
  const endpoint = setup.endpoint === 'fromCluster' ? { controlPlaneEndpoint: suiteEndpoint } : {};
  const stored = valueOfAnswer(
    await kubernetes.create({
      ...cluster,
      metadata: home,
      spec: {
        infrastructureRef: { apiGroup: primary.group, kind: primary.kind, name },
        ...(parts.clusterSpec ?? endpoint),
      },
    }),
    `Creating Cluster ${toDisplayName(home)}`,
  );
  const owner = { apiVersion: clusterApiVersion, kind: 'Cluster', name, uid: stored.metadata.uid };
  valueOfAnswer(
    await kubernetes.create({
      apiVersion: ref.apiVersion,
      kind: ref.kind,
      metadata: {
        ...home,
        ...(parts.owned === false ? {} : { ownerReferences: [owner], labels: { [clusterNameLabel]: name } }),
        annotations: { ...setup.annotations, ...parts.annotations },
        finalizers: parts.finalizers ?? [],
      },
      spec: setup.spec ?? {},
    }),
    `Creating ${ref.kind} ${toDisplayName(home)}`,
  );
  return createWorld(setup, { ref, cluster });
}

function refsOf({ provider, namespace }: ConformanceSetup, id: string): Pick<World, 'ref' | 'cluster'> {
  const { primary } = provider.declaration;
  const home = { namespace, name: `conformance-${id}` };
  return {
    ref: { apiVersion: toApiVersion(primary), kind: primary.kind, ...home },
    cluster: { apiVersion: clusterApiVersion, kind: 'Cluster', ...home },
  };
}

/** Takes away what is left of the world of this id, finalizers or not. */
export async function clearWorld(setup: ConformanceSetup, id: string): Promise<void> {
  const kubernetes = setup.kubernetes();
  const { ref, cluster } = refsOf(setup, id);
  for (const of of [ref, cluster]) {
    // Whatever is gone already answers NotFound.
    await kubernetes.mergePatch(of, { metadata: { finalizers: null } });
    await kubernetes.delete(of);
  }
}

function createWorld(setup: ConformanceSetup, { ref, cluster }: Pick<World, 'ref' | 'cluster'>): World {
  const kubernetes = setup.kubernetes();
  const clock = createClock(setup.now());
  const { group, kind } = setup.provider.declaration.primary;
  const find = async (): Promise<Unstructured | undefined> => {
    const answer = await kubernetes.get(ref);
    return !answer.ok && answer.missing ? undefined : valueOfAnswer(answer, `Reading ${kind} ${toDisplayName(ref)}`);
  };
  const pass: World['pass'] = async (client = kubernetes) => {
    const primary = await find();
    if (primary === undefined) {
      return undefined;
    }
    const signal = new AbortController().signal;
    const context = { reconciler: setup.provider, kubernetes: client, ports: {}, clock, signal, log: silentLog };
    const end = await runPass<object, object>(context, primary, 1);
    clock.advance(delayOf(end));
    return end;
  };
  const patch: World['patch'] = async (body, of = ref) => {
    valueOfAnswer(await kubernetes.mergePatch(of, body), `Patching ${of.kind} ${toDisplayName(of)}`);
  };
  const settle: World['settle'] = async (isThere, step = pass) => {
    let quiet = 0;
    let last: unknown;
    for (let count = 0; count < mostPasses; count += 1) {
      const before = await find();
      if (isThere(before)) {
        quiet += 1;
        if (before === undefined || quiet > steadyPasses) {
          return;
        }
      } else {
        quiet = 0;
      }
      last = await step();
    }
    throw new Error(`The provider did not come to rest in ${mostPasses} passes: ${tell(last, await find())}`);
  };
  return {
    setup,
    ref,
    cluster,
    finalizer: setup.finalizer ?? `${kind.toLowerCase()}.${group}`,
    find,
    read: async of => valueOfAnswer(await kubernetes.get(of), `Reading ${of.kind} ${toDisplayName(of)}`),
    patch,
    take: step => (typeof step === 'function' ? step(ref.name) : patch(step)),
    async remove(of) {
      valueOfAnswer(await kubernetes.delete(of), `Deleting ${of.kind} ${toDisplayName(of)}`);
    },
    pass,
    settle,
    async settleReady(step = pass) {
      await settle(object => isReady(object, setup), step);
      return valueOfAnswer(await kubernetes.get(ref), `Reading ${kind} ${toDisplayName(ref)}`);
    },
    settleGone: () => settle(object => object === undefined),
  };
}

export function isProvisioned(object: Unstructured | undefined, { contract }: ConformanceSetup): boolean {
  return valueOr(readBoolean(object, providerPaths[contract].provisioned), false);
}

function isReady(object: Unstructured | undefined, setup: ConformanceSetup): boolean {
  return isProvisioned(object, setup) && conditionOf(object, 'Ready')?.status === 'True';
}

function delayOf(end: PassEnd): number {
  if (end.kind !== 'reported') {
    return 0;
  }
  switch (end.result.kind) {
    case 'requeueAfter':
      return end.result.ms;
    case 'failed':
      return errorDelayMs;
    case 'done':
    case 'again':
      return 0;
  }
}

function tell(last: unknown, object: Unstructured | undefined): string {
  const { finalizers = [], deletionTimestamp } = object?.metadata ?? {};
  return `${toEnd(last)}the object is ${JSON.stringify({ finalizers, deletionTimestamp, status: object?.status })}`;
}

function toEnd(last: unknown): string {
  const result = typeof last === 'object' && last !== null && 'result' in last ? last.result : undefined;
  const failed = typeof result === 'object' && result !== null && 'error' in result ? result.error : undefined;
  return failed instanceof Error ? `the last pass failed (${failed.message}); ` : '';
}

function valueOfAnswer<T>(answer: Answer<T>, what: string): T {
  if (!answer.ok) {
    throw new Error(`${what} failed: ${answer.failure.message}`);
  }
  return answer.value;
}

function createClock(start: number): Clock & { advance(ms: number): void } {
  let now = start;
  return {
    now: () => now,
    async sleep(ms) {
      now += ms;
    },
    advance(ms) {
      now += ms;
    },
  };
}
