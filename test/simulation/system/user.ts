// A user with kubectl: the steps of a workload's script, and the conditions that it waits for.
import {
  type Answer,
  type Instant,
  type Intent,
  type Kubernetes,
  type MergePatch,
  type ObjectRef,
  toRef,
  type Unstructured,
} from '@capi-serverless/apimachinery';
import type { ApiCore } from '@capi-serverless/apiserver/core';
import { createMemoryKubernetes } from '../../../shared/kubernetes/memory/memory-kubernetes.ts';
import type { FakeHandler } from '../../support/fake-hooks.ts';
import type { Engine } from '../engine/process.ts';
import type { System } from './system.ts';

/** Requests to one cluster, and conditions that the user waits for. */
interface ClusterUser {
  create(...objects: readonly Intent[]): Promise<void>;
  patch(ref: ObjectRef, body: MergePatch, subresource?: 'status'): Promise<void>;
  /** Does nothing if the object does not exist. */
  delete(ref: ObjectRef): Promise<void>;
  /** Deletes the object without grace period if it exists, and creates this one with its name in the same instant. */
  replace(object: Intent): Promise<void>;
  /** Returns `undefined` if it does not exist. */
  read(ref: ObjectRef): Unstructured | undefined;
  /**
   * Waits until the object fulfils the condition. `undefined` means that it does not exist. Throws StuckError after
   * hours.
   */
  until(what: string, ref: ObjectRef, wish: (object: Unstructured | undefined) => boolean): Promise<void>;
}

interface WorkloadUser extends ClusterUser {
  /** Requests of the product get no answer until `connect`. */
  disconnect(): void;
  connect(): void;
}

export interface SimulatedUser extends ClusterUser {
  /** The user in the workload cluster of this Cluster, which exists. */
  inWorkload(cluster: ObjectRef): WorkloadUser;
  /** Reads, changes and writes the object. Retries on conflicts. Does nothing if the object does not exist. */
  change(ref: ObjectRef, toPatch: (object: Unstructured) => MergePatch, subresource?: 'status'): Promise<void>;
  /** As `until`, for all objects of a kind. The name of the kind must be unique. */
  untilAll(what: string, kind: string, wish: (objects: readonly Unstructured[]) => boolean): Promise<void>;
  /** Sets the answer of the extension server at this address. `path` is as in `FakeExtensions`. Default: Discovery. */
  serve(url: string, answer: FakeHandler, path?: string): void;
  /** Waits for a number of seconds. The simulation selects the exact time, from zero to twice this number. */
  pause(seconds: number): Promise<void>;
}

/** The error if the condition of a workload was not fulfilled. */
export class StuckError extends Error {
  override readonly name = 'StuckError';
}

const patienceMs = 6 * 3_600_000;

export function createUser(
  engine: Engine,
  { api, extensions, workloads }: Pick<System, 'api' | 'extensions' | 'workloads'>,
): SimulatedUser {
  const { scheduler } = engine;
  const random = engine.random.fork('user');
  const client = api.clientOf('user');
  const typing = (): Promise<void> => sleep(engine, random.between(1, 50));
  const read = (ref: ObjectRef): Unstructured | undefined =>
    api.objects().get(`${ref.kind}/${ref.namespace ?? ''}/${ref.name}`);
  const all = (kind: string): readonly Unstructured[] =>
    [...api.objects().values()].filter(object => object.kind === kind);
  const untilTrue = (holds: () => boolean, toText: () => string): Promise<void> =>
    waitUntil(holds, { toText, now: () => scheduler.now, pause: () => sleep(engine, random.between(50, 1_000)) });
  return {
    ...inCluster({ engine, client, typing, read, untilTrue }),
    inWorkload(cluster) {
      const object = read(cluster);
      if (object === undefined) {
        throw new Error(`There is no Cluster ${cluster.name}, so it has no workload cluster`);
      }
      return inWorkloadOf(object.metadata.uid, { engine, typing, untilTrue, workloads });
    },
    async change(ref, toPatch, subresource) {
      for (let object = read(ref); object !== undefined; object = read(ref)) {
        const { resourceVersion } = object.metadata;
        await typing();
        const options = { resourceVersion, ...(subresource === undefined ? {} : { subresource }) };
        const answer = await client.mergePatch(ref, toPatch(object), options);
        const isRepeated = !answer.ok && ['Conflict', 'NotFound'].includes(answer.failure.reason);
        if (!isRepeated) {
          engine.trace.note(scheduler.now, () => `user changes ${ref.kind} ${ref.name}`);
          must(answer);
          return;
        }
      }
    },
    untilAll: (what, kind, wish) =>
      untilTrue(
        () => wish(all(kind)),
        () => `${what}; the objects of kind ${kind} are ${JSON.stringify(all(kind))}`,
      ),
    serve(url, answer, path = 'discovery') {
      engine.trace.note(scheduler.now, () => `the extension server at ${url} answers otherwise`);
      extensions.answer(url, path, answer);
    },
    pause: seconds => sleep(engine, random.between(0, 2_000 * seconds)),
  };
}

interface OneCluster {
  readonly engine: Engine;
  readonly client: Kubernetes;
  readonly typing: () => Promise<void>;
  readonly read: ClusterUser['read'];
  readonly untilTrue: (holds: () => boolean, toText: () => string) => Promise<void>;
}

function inWorkloadOf(
  uid: string,
  { workloads, ...user }: Pick<OneCluster, 'engine' | 'typing' | 'untilTrue'> & Pick<System, 'workloads'>,
): WorkloadUser {
  const { scheduler, trace } = user.engine;
  const connected = (isConnected: boolean) => () => {
    trace.note(scheduler.now, () => `the workload cluster ${isConnected ? 'answers again' : 'is lost'}`);
    workloads.setConnected(uid, isConnected);
  };
  return {
    ...inCluster({
      ...user,
      client: createMemoryKubernetes(workloads.coreOf(uid), { client: 'user' }),
      read: ref => readFrom(workloads.coreOf(uid), ref),
    }),
    disconnect: connected(false),
    connect: connected(true),
  };
}

function inCluster({ engine, client, typing, read, untilTrue }: OneCluster): ClusterUser {
  const { scheduler, trace } = engine;
  return {
    read,
    async create(...objects) {
      for (const object of objects) {
        await typing();
        await createOne(engine, client, object);
      }
    },
    async patch(ref, body, subresource) {
      await typing();
      trace.note(scheduler.now, () => `user patches ${ref.kind} ${ref.name} ${JSON.stringify(body)}`);
      must(await client.mergePatch(ref, body, subresource === undefined ? {} : { subresource }));
    },
    async delete(ref) {
      await typing();
      trace.note(scheduler.now, () => `user deletes ${ref.kind} ${ref.name}`);
      const deleted = await client.delete(ref);
      if (!deleted.ok && deleted.failure.reason !== 'NotFound') {
        must(deleted);
      }
    },
    async replace(object) {
      await typing();
      trace.note(scheduler.now, () => `user replaces ${object.kind} ${object.metadata.name}`);
      const deleted = await client.delete(toRef(object), { gracePeriodSeconds: 0 });
      if (!deleted.ok && deleted.failure.reason !== 'NotFound') {
        must(deleted);
      }
      await createOne(engine, client, object);
    },
    until: (what, ref, wish) =>
      untilTrue(
        () => wish(read(ref)),
        () => `${what}; ${ref.kind} ${ref.name} is ${JSON.stringify(read(ref))}`,
      ),
  };
}

function readFrom(core: ApiCore, { apiVersion, kind, namespace, name }: ObjectRef): Unstructured | undefined {
  const query = namespace === undefined ? {} : { namespace };
  return core
    .list(core.registry.endpointOfKind(apiVersion, kind), query)
    .items.find(({ metadata }) => metadata.name === name);
}

interface Waiting {
  readonly toText: () => string;
  readonly now: () => Instant;
  readonly pause: () => Promise<void>;
}

/** Throws StuckError after hours. */
async function waitUntil(holds: () => boolean, { toText, now, pause }: Waiting): Promise<void> {
  const impatientAt = now() + patienceMs;
  while (!holds()) {
    if (now() > impatientAt) {
      throw new StuckError(`Waited in vain for ${toText()}`);
    }
    await pause();
  }
}

async function createOne(engine: Engine, client: Kubernetes, { status, ...object }: Intent): Promise<void> {
  engine.trace.note(engine.scheduler.now, () => `user creates ${object.kind} ${object.metadata.name}`);
  must(await client.create(object));
  if (status !== undefined) {
    must(await client.mergePatch(toRef(object), { status }, { subresource: 'status' }));
  }
}

export function sleep({ scheduler }: Pick<Engine, 'scheduler'>, ms: number): Promise<void> {
  return new Promise(resolve => {
    scheduler.after(ms, resolve);
  });
}

function must<T>(answer: Answer<T>): T {
  if (!answer.ok) {
    throw new Error(`A workload's request was refused: ${answer.failure.message}`);
  }
  return answer.value;
}
