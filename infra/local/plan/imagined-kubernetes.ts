// A client that reads the true objects and only imagines its writes: nothing that could write is behind it.
import { isDeepStrictEqual } from 'node:util';
import { type Answer, type ApiFailure, answered, refused } from '../../../shared/api/answer.ts';
import { toRecord } from '../../../shared/api/fields.ts';
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
import type { ApplyOptions, DeleteOptions, DryRun, Kubernetes, PatchOptions } from '../../../shared/kubernetes/port.ts';
import { parseObject } from '../../../shared/kubernetes/rest/bodies.ts';
import { applyMergePatch } from '../apiserver/core/merge-patch.ts';
import { type Trial, toTrial } from './trial.ts';

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

/** What is imagined from. */
export interface Imagining {
  readonly reads: Reads;
  readonly now: Instant;
  /**
   * Dry runs of the API server that is read: it knows best what it would make of an apply. Where there is none, where it refuses
   * this user, and for objects that a write before has changed, the embedded server's code tells.
   */
  readonly dryRun?: DryRun;
  /** Objects of which nobody knows who owns what: an apply that changes nothing else changes no owners either. */
  readonly isUntold?: (live: Unstructured) => boolean;
  /** Told once, in words, when the API server lets this user make no dry runs. */
  readonly onRefused?: (note: string) => void;
}

/** Later reads see what earlier writes would have left. */
export function imagineWrites(imagining: Imagining): Imagined {
  const world = new ImaginedWorld(imagining);
  return { kubernetes: world, writes: world.writes };
}

type Change = Omit<ImaginedWrite, 'before' | 'after' | 'ref'>;

class ImaginedWorld implements Kubernetes {
  readonly writes: ImaginedWrite[] = [];
  readonly dryRun: Kubernetes['dryRun'];
  readonly watches: Kubernetes['watches'];
  readonly #reads: Reads;
  readonly #time: string;
  readonly #trial: Trial;
  readonly #onRefused: (note: string) => void;
  readonly #isUntold: (live: Unstructured) => boolean;
  /** `undefined` from the first refusal on. */
  #dryRun: DryRun | undefined;
  readonly #changed = new Map<string, { readonly ref: ObjectRef; readonly object: Unstructured | undefined }>();

  constructor({ reads, now, dryRun, onRefused = () => undefined, isUntold = () => false }: Imagining) {
    this.#reads = reads;
    this.#time = new Date(now).toISOString().replace(/\.\d+Z$/, 'Z');
    this.#trial = toTrial(reads, now);
    this.#dryRun = dryRun;
    this.#onRefused = onRefused;
    this.#isUntold = isUntold;
    this.dryRun = { apply: async (object, options) => (await this.#applied(object, options)).after };
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
    const { before, after } = await this.#applied(object, options);
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

  #created(object: Intent | Unstructured): Unstructured {
    const { uid: _, generation: __, ...metadata } = object.metadata;
    const uid = `${plannedPrefix}${this.writes.length + 1}`;
    const stored = { ...metadata, uid, resourceVersion: uid, generation: 1, creationTimestamp: this.#time };
    return { ...object, metadata: stored };
  }

  /** The API server counts changes of the spec, and every change makes a version. */
  #next(before: Unstructured, after: Unstructured): Unstructured {
    if (isDeepStrictEqual(atNoVersion(before), atNoVersion(after))) {
      return before;
    }
    const { generation: _, ...metadata } = after.metadata;
    const { generation = 0 } = before.metadata;
    const counted = isDeepStrictEqual(before.spec, after.spec) ? generation : generation + 1;
    const resourceVersion = `${plannedPrefix}${this.writes.length + 1}`;
    return { ...after, metadata: { ...metadata, generation: counted, resourceVersion } };
  }

  async #applied(
    object: Intent,
    options: ApplyOptions,
  ): Promise<{ readonly before: Unstructured | undefined; readonly after: Answer<Unstructured> }> {
    const live = await this.#read(refOf(object));
    if (!live.ok) {
      const isNew = live.missing && options.uid === undefined;
      const made = isNew ? await this.#tried(object, undefined, options) : live;
      return { before: undefined, after: made.ok ? answered(this.#created(made.value)) : made };
    }
    const before = live.value;
    if (options.uid !== undefined && options.uid !== before.metadata.uid) {
      return { before, after: refused<Unstructured>(conflict(refOf(object))) };
    }
    const changed = await this.#tried(object, before, options);
    if (!changed.ok) {
      return { before, after: changed };
    }
    const after = this.#isUntold(before) ? withOwnersOf(before, changed.value) : changed.value;
    return { before, after: answered(this.#next(before, after)) };
  }

  async #tried(object: Intent, live: Unstructured | undefined, options: ApplyOptions): Promise<Answer<Unstructured>> {
    if (this.#dryRun !== undefined && !this.#changed.has(keyOf(refOf(object)))) {
      const answer = await this.#dryRun.apply(object, options);
      if (answer.ok || !isRefusal(answer.failure)) {
        return answer;
      }
      this.#refuse(answer.failure);
    }
    return this.#trial(object, live, options);
  }

  #refuse({ message }: ApiFailure): void {
    if (this.#dryRun !== undefined) {
      this.#dryRun = undefined;
      this.#onRefused(
        `the API server lets this user make no dry runs, so what it would make of an apply is reckoned here: ${message}`,
      );
    }
  }
}

function isRefusal({ reason }: ApiFailure): boolean {
  return reason === 'Forbidden' || reason === 'Unauthorized';
}

function withOwnersOf(before: Unstructured, after: Unstructured): Unstructured {
  const { managedFields } = toRecord(before.metadata);
  return { ...after, metadata: { ...after.metadata, ...{ managedFields } } };
}

/** What of an object tells whether it changed. */
function atNoVersion(object: Unstructured): unknown {
  const { resourceVersion: _, generation: __, ...metadata } = object.metadata;
  return { ...object, metadata };
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
