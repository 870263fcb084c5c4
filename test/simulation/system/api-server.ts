// The API server of a simulation: the core of the embedded server, its background work as steps, and a record of every
// commit.

import type { Kubernetes, Unstructured } from '@capi-serverless/apimachinery';
import {
  type ApiCore,
  createApiCore,
  type ResourceEndpoint,
  type ResourceWatch,
} from '@capi-serverless/apiserver/core';
import type { StoreSnapshot } from '@capi-serverless/apiserver/snapshot';
import { declarations } from '../../../functions/declarations.ts';
import type { NewObject } from '../../../packages/apiserver/core/context.ts';
import type { Resource } from '../../../packages/apiserver/core/kinds.ts';
import { createMemoryKubernetes } from '../../../shared/kubernetes/memory/memory-kubernetes.ts';
import { createMemoryApi } from '../../support/memory-api.ts';
import type { Engine } from '../engine/process.ts';
import { createRandom } from '../engine/random.ts';
import type { SimulatedWorld } from './stored-state.ts';

export interface Commit {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: Unstructured;
  readonly previous: Unstructured | undefined;
  /** The sender of the request: a process, `user`, or `server` for background work. */
  readonly writer: string;
}

export interface SimulatedApi {
  readonly core: ApiCore;
  /** Returns a client of this writer whose requests take effect immediately. */
  clientOf(writer: string): Kubernetes;
  /** Called during the request that committed. */
  onCommit(listener: (commit: Commit) => void): void;
  /** All objects of the watched kinds: those of Cluster API, of the provider and of declarations, Secrets and Events. */
  objects(): ReadonlyMap<string, Unstructured>;
  /** The number of objects that each name had, by kind, namespace and name. */
  readonly created: ReadonlyMap<string, number>;
}

/** The writer of background work, and of requests to the server as a workload cluster. */
export const background = 'server';

let definitions: StoreSnapshot | undefined;

/** `world` is the initial state. Default: only the definitions. */
export function createSimulatedApi(engine: Engine, world?: SimulatedWorld): SimulatedApi {
  const { scheduler } = engine;
  const random = engine.random.fork('api');
  // The definitions are parsed once, because they are the same in every run and their parsing takes most of the time of
  // a short run.
  definitions ??= createMemoryApi().core.snapshot();
  const created = new Map(world?.created);
  const ids = { uid: createUids(created), nameSuffix: () => random.uuid().slice(0, 5) };
  const snapshot = world?.snapshot ?? definitions;
  const kinds = world?.kinds ?? [];
  const core = createApiCore({ now: () => Math.floor(scheduler.now), ids, snapshot, kinds });
  const commits = new Commits(core, kinds);
  runBackgroundWork(core, engine, commits);
  const client = createMemoryKubernetes(core, {
    clock: { sleep: (ms, signal) => sleep(engine, ms, signal) },
  });
  return {
    core,
    clientOf: writer => attributed(client, commits, writer),
    onCommit: listener => commits.listeners.push(listener),
    objects: () => commits.objects,
    created,
  };
}

/**
 * The first object with a name has the same uid in every run, and so has the second one. Names that derive from uids
 * can then be compared between runs.
 */
function createUids(counts: Map<string, number>): (of: NewObject) => string {
  return ({ kind, namespace, name = '' }) => {
    const of = `${kind}/${namespace}/${name}`;
    const count = (counts.get(of) ?? 0) + 1;
    counts.set(of, count);
    return createRandom(`${of}/${count}`).uuid();
  };
}

function sleep({ scheduler }: Engine, ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise(resolve => {
    const cancel = scheduler.after(ms, resolve);
    signal?.addEventListener('abort', () => {
      cancel();
      resolve();
    });
  });
}

/** The kinds that declared reconcilers own or watch, as `Kind.group`. */
const sources: ReadonlySet<string> = new Set(
  declarations
    .flatMap(({ primary, watches }) => [primary, ...watches.map(({ source }) => source)])
    .flatMap(source => (source === 'referenced' ? [] : [`${source.kind}.${source.group}`])),
);

/** The resources that declared reconcilers create, as `resource.group`. */
const createdResources: ReadonlySet<string> = new Set(
  declarations
    .flatMap(({ rules }) => rules.filter(({ verbs }) => verbs.includes('create')))
    .flatMap(({ apiGroups, resources }) => apiGroups.flatMap(group => resources.map(name => `${name}.${group}`))),
);

/** The kinds that declared reconcilers own, watch or create, and Secrets and Events. */
function isUsed({ group, kind, plural }: Resource): boolean {
  const isWritten = group === '' && (kind === 'Secret' || kind === 'Event');
  return isWritten || sources.has(`${kind}.${group}`) || createdResources.has(`${plural}.${group}`);
}

/** Follows every kind with a cursor, so that it uses only the public interface of the core. */
class Commits {
  readonly listeners: ((commit: Commit) => void)[] = [];
  readonly objects = new Map<string, Unstructured>();
  writer = background;
  readonly #core: ApiCore;
  readonly #extra: readonly Resource[];
  readonly #cursors = new Map<string, ResourceWatch>();
  /** The number of kinds when they were last compared. Kinds are only added. */
  #known = 0;

  constructor(core: ApiCore, extra: readonly Resource[]) {
    this.#core = core;
    this.#extra = extra;
    for (const object of this.kinds.flatMap(kind => core.list(kind, {}).items)) {
      this.objects.set(keyOf(object), object);
    }
    this.#follow();
    core.onUpdate(() => {
      for (const cursor of this.#cursors.values()) {
        this.#read(cursor);
      }
      this.#follow();
    });
  }

  get kinds(): readonly ResourceEndpoint[] {
    return this.#core.registry
      .all()
      .filter(
        resource => resource.group.endsWith('cluster.x-k8s.io') || isUsed(resource) || this.#extra.includes(resource),
      )
      .flatMap(resource => resource.versions.slice(0, 1).map(version => ({ resource, version })));
  }

  /** A kind whose definition has just been created has no objects yet. */
  #follow(): void {
    const { length } = this.#core.registry.all();
    if (length === this.#known) {
      return;
    }
    this.#known = length;
    const from = this.#core.resourceVersion();
    for (const kind of this.kinds) {
      const { group, plural } = kind.resource;
      const key = `${plural}.${group}`;
      if (!this.#cursors.has(key)) {
        this.#cursors.set(key, this.#core.watch(kind, { resourceVersion: from }));
      }
    }
  }

  #read(cursor: ResourceWatch): void {
    for (let step = cursor.next(); step !== 'idle' && step !== 'ended'; step = cursor.next()) {
      const { type, object } = step;
      const key = keyOf(object);
      const previous = this.objects.get(key);
      if (type === 'DELETED') {
        this.objects.delete(key);
      } else {
        this.objects.set(key, object);
      }
      for (const listener of this.listeners) {
        listener({ type, object, previous, writer: this.writer });
      }
    }
  }
}

function keyOf({ kind, metadata: { namespace = '', name } }: Unstructured): string {
  return `${kind}/${namespace}/${name}`;
}

/** Requests take effect when they are sent, so the caller is the writer until the call returns. */
function attributed(client: Kubernetes, commits: Commits, writer: string): Kubernetes {
  const as =
    <Args extends readonly unknown[], T>(make: (...args: Args) => T) =>
    (...args: Args): T => {
      commits.writer = writer;
      try {
        return make(...args);
      } finally {
        commits.writer = background;
      }
    };
  return {
    ...client,
    create: as(client.create),
    mergePatch: as(client.mergePatch),
    jsonPatch: as(client.jsonPatch),
    apply: as(client.apply),
    delete: as(client.delete),
  };
}

function runBackgroundWork(core: ApiCore, engine: Engine, commits: Commits): void {
  const random = engine.random.fork('background');
  let planned = false;
  const plan = (): void => {
    if (planned || !core.hasWork()) {
      return;
    }
    planned = true;
    engine.scheduler.after(random.between(5, 500), () => {
      planned = false;
      commits.writer = background;
      core.settle();
      plan();
    });
  };
  core.onUpdate(plan);
}
