// A client that reads the true objects and only imagines its writes: nothing that could write is behind it.
import { isDeepStrictEqual } from 'node:util';
import { type Answer, type ApiFailure, answered, refused } from '../../../shared/api/answer.ts';
import {
  groupOf,
  type Instant,
  type Intent,
  type ListQuery,
  type MergePatch,
  type ObjectRef,
  type Parser,
  toDisplayName,
  type Unstructured,
} from '../../../shared/api/object.ts';
import type { Reads } from '../../../shared/kernel/types.ts';
import type { ApplyOptions, DeleteOptions, Kubernetes, PatchOptions } from '../../../shared/kubernetes/port.ts';
import { parseObject } from '../../../shared/kubernetes/rest/bodies.ts';
import { applyMergePatch } from '../apiserver/core/merge-patch.ts';

/** Versions and uids that the API server has not given yet begin with this. */
export const plannedPrefix = 'planned-';

export interface ImaginedWrite {
  readonly verb: 'create' | 'patch' | 'apply' | 'delete';
  readonly ref: ObjectRef;
  readonly subresource?: 'status';
  /** What would be sent; absent for a delete. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** The object as it is, and as the write would leave it; `undefined` where it does not exist. */
  readonly before: Unstructured | undefined;
  readonly after: Unstructured | undefined;
}

export interface Imagined {
  readonly kubernetes: Kubernetes;
  /** In the order in which they would be sent. Refused ones are not among them. */
  readonly writes: readonly ImaginedWrite[];
}

/** Later reads see what earlier writes would have left. */
export function imagineWrites(reads: Reads, now: Instant): Imagined {
  const world = new ImaginedWorld(reads, now);
  return { kubernetes: world, writes: world.writes };
}

type Change = Omit<ImaginedWrite, 'before' | 'after' | 'ref'>;

class ImaginedWorld implements Kubernetes {
  readonly writes: ImaginedWrite[] = [];
  readonly dryRun: Kubernetes['dryRun'];
  readonly watches: Kubernetes['watches'];
  readonly #reads: Reads;
  readonly #time: string;
  readonly #changed = new Map<string, { readonly ref: ObjectRef; readonly object: Unstructured | undefined }>();

  constructor(reads: Reads, now: Instant) {
    this.#reads = reads;
    this.#time = new Date(now).toISOString().replace(/\.\d+Z$/, 'Z');
    this.dryRun = { apply: async (object, options) => toUnstructured((await this.#merged(object, options)).after) };
    this.watches = {
      page: async () => refused(notImagined('page')),
      watch: async function* () {
        yield { type: 'FAILED', failure: notImagined('watch') } as const;
      },
    };
  }

  async get(ref: ObjectRef): Promise<Answer<Unstructured>>;
  async get<T>(ref: ObjectRef, parse: Parser<T>): Promise<Answer<T>>;
  async get<T>(ref: ObjectRef, parse?: Parser<T>): Promise<Answer<Unstructured | T>> {
    const answer = await this.#read(ref);
    return answer.ok && parse !== undefined ? parseObject(answer.value, parse) : answer;
  }

  async metadata(ref: ObjectRef) {
    // A user who may read no more than metadata can plan too.
    if (!this.#changed.has(keyOf(ref))) {
      return this.#reads.metadata(ref);
    }
    const answer = await this.#read(ref);
    return answer.ok ? answered(answer.value.metadata) : answer;
  }

  async list(query: ListQuery): Promise<Answer<readonly Unstructured[]>>;
  async list<T>(query: ListQuery, parse: Parser<T>): Promise<Answer<readonly T[]>>;
  async list<T>(query: ListQuery, parse?: Parser<T>): Promise<Answer<readonly (Unstructured | T)[]>> {
    const answer = await this.#reads.list(query);
    if (!answer.ok) {
      return answer;
    }
    const untouched = answer.value.filter(object => !this.#changed.has(keyOf({ ...object, ...object.metadata })));
    const changed = [...this.#changed.values()].flatMap(({ object }) =>
      object !== undefined && isSelected(object, query) ? [object] : [],
    );
    const items: (Unstructured | T)[] = [];
    for (const object of [...untouched, ...changed]) {
      const parsed = parse === undefined ? answered(object) : parseObject(object, parse);
      if (!parsed.ok) {
        return parsed;
      }
      items.push(parsed.value);
    }
    return answered(items);
  }

  async create(object: Intent): Promise<Answer<Unstructured>> {
    const ref = refOf(object);
    const live = await this.#read(ref);
    if (live.ok || !live.missing) {
      return live.ok ? refused({ reason: 'AlreadyExists', message: `${describe(ref)} already exists` }) : live;
    }
    return toUnstructured(this.#write(ref, { verb: 'create', body: object }, undefined, this.#created(object)));
  }

  async mergePatch(ref: ObjectRef, body: MergePatch, options: PatchOptions = {}): Promise<Answer<Unstructured>> {
    const live = await this.#read(ref);
    if (!live.ok) {
      return live;
    }
    const { resourceVersion, subresource } = options;
    if (resourceVersion !== undefined && resourceVersion !== live.value.metadata.resourceVersion) {
      return refused(conflict(ref));
    }
    const change = { verb: 'patch', body, ...(subresource === undefined ? {} : { subresource }) } as const;
    const patched = applyMergePatch(live.value, body) as Unstructured; // a patch leaves an object what it is
    return toUnstructured(this.#write(ref, change, live.value, this.#next(live.value, patched)));
  }

  async jsonPatch(ref: ObjectRef): Promise<Answer<Unstructured>> {
    return refused({ ...notImagined('jsonPatch'), message: `A JSON patch of ${describe(ref)} cannot be planned` });
  }

  async apply(object: Intent, options: ApplyOptions): Promise<Answer<Unstructured>> {
    const { before, after } = await this.#merged(object, options);
    return after.ok
      ? toUnstructured(this.#write(refOf(object), { verb: 'apply', body: object }, before, after.value))
      : after;
  }

  async delete(ref: ObjectRef, options: DeleteOptions = {}): Promise<Answer<Unstructured | undefined>> {
    const live = await this.#read(ref);
    if (!live.ok) {
      return live;
    }
    const { metadata } = live.value;
    if (options.uid !== undefined && options.uid !== metadata.uid) {
      return refused(conflict(ref));
    }
    const deleting = { ...live.value, metadata: { ...metadata, deletionTimestamp: this.#time } };
    const after = metadata.deletionTimestamp === undefined ? this.#next(live.value, deleting) : live.value;
    return this.#write(ref, { verb: 'delete' }, live.value, after);
  }

  within(): Kubernetes {
    return this;
  }

  #read(ref: ObjectRef): Promise<Answer<Unstructured>> | Answer<Unstructured> {
    const changed = this.#changed.get(keyOf(ref));
    if (changed === undefined) {
      return this.#reads.get(ref);
    }
    return changed.object === undefined
      ? refused({ reason: 'NotFound', code: 404, message: `${describe(ref)} not found` })
      : answered(changed.object);
  }

  /** What is left of an object in deletion without finalizers is nothing. */
  #write(
    ref: ObjectRef,
    change: Change,
    before: Unstructured | undefined,
    after: Unstructured,
  ): Answer<Unstructured | undefined> {
    const { deletionTimestamp, finalizers = [] } = after.metadata;
    const isGone = deletionTimestamp !== undefined && finalizers.length === 0;
    this.writes.push({ ...change, ref, before, after: isGone ? undefined : after });
    this.#changed.set(keyOf(ref), { ref, object: isGone ? undefined : after });
    return answered(isGone && change.verb === 'delete' ? undefined : after);
  }

  #created(object: Intent): Unstructured {
    const { uid: _, ...metadata } = object.metadata;
    const uid = `${plannedPrefix}${this.writes.length + 1}`;
    const stored = { ...metadata, uid, resourceVersion: uid, generation: 1, creationTimestamp: this.#time };
    return { ...object, metadata: stored };
  }

  /** The API server counts changes of the spec, and every change makes a version. */
  #next(before: Unstructured, after: Unstructured): Unstructured {
    if (isDeepStrictEqual(before, after)) {
      return before;
    }
    const { generation = 0, ...metadata } = after.metadata;
    const counted = isDeepStrictEqual(before.spec, after.spec) ? generation : generation + 1;
    const resourceVersion = `${plannedPrefix}${this.writes.length + 1}`;
    return { ...after, metadata: { ...metadata, generation: counted, resourceVersion } };
  }

  /** As far as an apply can be told without the API server: fields that it no longer holds stay. */
  async #merged(object: Intent, { uid }: ApplyOptions) {
    const live = await this.#read(refOf(object));
    if (!live.ok) {
      const after = live.missing && uid === undefined ? answered(this.#created(object)) : live;
      return { before: undefined, after };
    }
    if (uid !== undefined && uid !== live.value.metadata.uid) {
      return { before: live.value, after: refused<Unstructured>(conflict(refOf(object))) };
    }
    const merged = applyMergePatch(live.value, object) as Unstructured; // an object merged into an object
    return { before: live.value, after: answered(this.#next(live.value, merged)) };
  }
}

function keyOf({ apiVersion, kind, namespace = '', name }: ObjectRef): string {
  return JSON.stringify([groupOf(apiVersion), kind, namespace, name]);
}

function refOf({ apiVersion, kind, metadata: { name, namespace } }: Intent): ObjectRef {
  return { apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) };
}

function isSelected({ apiVersion, kind, metadata }: Unstructured, query: ListQuery): boolean {
  return (
    kind === query.kind &&
    groupOf(apiVersion) === groupOf(query.apiVersion) &&
    (query.namespace === undefined || query.namespace === metadata.namespace) &&
    Object.entries(query.labels ?? {}).every(([key, value]) => metadata.labels?.[key] === value)
  );
}

function describe(ref: ObjectRef): string {
  return `${ref.kind} ${toDisplayName(ref)}`;
}

function conflict(ref: ObjectRef): ApiFailure {
  return { reason: 'Conflict', code: 409, message: `${describe(ref)} is not the one that was read` };
}

function notImagined(request: string): ApiFailure {
  return { reason: 'BadRequest', message: `A plan makes no ${request} request` };
}

/** Writes besides a delete leave something: the answer shows even what vanished with its last finalizer. */
function toUnstructured(answer: Answer<Unstructured | undefined>): Answer<Unstructured> {
  if (!answer.ok) {
    return answer;
  }
  return answer.value === undefined ? refused({ reason: 'NotFound', message: 'gone' }) : answered(answer.value);
}
