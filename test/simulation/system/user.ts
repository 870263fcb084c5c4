// A user with kubectl: the steps of a workload's script, and the conditions that it waits for.
import type { Answer } from '../../../packages/apimachinery/answer.ts';
import type { Kubernetes } from '../../../packages/apimachinery/client.ts';
import type { Instant, Intent, MergePatch, ObjectRef, Unstructured } from '../../../packages/apimachinery/object.ts';
import type { FakeHandler } from '../../support/fake-hooks.ts';
import type { Engine } from '../engine/process.ts';
import type { System } from './system.ts';

export interface SimulatedUser {
  create(...objects: readonly Intent[]): Promise<void>;
  patch(ref: ObjectRef, body: MergePatch, subresource?: 'status'): Promise<void>;
  /** Reads, changes and writes the object. Retries on conflicts. Does nothing if the object does not exist. */
  change(ref: ObjectRef, toPatch: (object: Unstructured) => MergePatch, subresource?: 'status'): Promise<void>;
  delete(ref: ObjectRef): Promise<void>;
  /** Returns `undefined` if it does not exist. */
  read(ref: ObjectRef): Unstructured | undefined;
  /**
   * Waits until the object fulfils the condition. `undefined` means that it does not exist. Throws StuckError after
   * hours.
   */
  until(what: string, ref: ObjectRef, wish: (object: Unstructured | undefined) => boolean): Promise<void>;
  /** The same for all objects of a kind. The name of the kind must be unique. */
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

export function createUser(engine: Engine, { api, extensions }: Pick<System, 'api' | 'extensions'>): SimulatedUser {
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
    read,
    async create(...objects) {
      for (const object of objects) {
        await typing();
        await createOne(engine, client, object);
      }
    },
    async patch(ref, body, subresource) {
      await typing();
      engine.trace.note(scheduler.now, () => `user patches ${ref.kind} ${ref.name} ${JSON.stringify(body)}`);
      must(await client.mergePatch(ref, body, subresource === undefined ? {} : { subresource }));
    },
    async change(ref, toPatch, subresource) {
      for (let object = read(ref); object !== undefined; object = read(ref)) {
        const { resourceVersion } = object.metadata;
        await typing();
        const options = { resourceVersion, ...(subresource === undefined ? {} : { subresource }) };
        const answer = await client.mergePatch(ref, toPatch(object), options);
        if (answer.ok || answer.failure.reason !== 'Conflict') {
          engine.trace.note(scheduler.now, () => `user changes ${ref.kind} ${ref.name}`);
          must(answer);
          return;
        }
      }
    },
    async delete(ref) {
      await typing();
      engine.trace.note(scheduler.now, () => `user deletes ${ref.kind} ${ref.name}`);
      must(await client.delete(ref));
    },
    until: (what, ref, wish) =>
      untilTrue(
        () => wish(read(ref)),
        () => `${what}; ${ref.kind} ${ref.name} is ${JSON.stringify(read(ref))}`,
      ),
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
  const { apiVersion, kind, metadata } = must(await client.create(object));
  const { name, namespace } = metadata;
  if (status !== undefined) {
    const ref = { apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) };
    must(await client.mergePatch(ref, { status }, { subresource: 'status' }));
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
