// A client that reads the real objects and only simulates its writes. It contains no client that can write.

import { isDeepStrictEqual } from 'node:util';
import {
  type Answer,
  type ApiFailure,
  type ApplyOptions,
  answered,
  type DeleteOptions,
  type DryRun,
  type Instant,
  type Intent,
  type Kubernetes,
  type ListQuery,
  type MergePatch,
  type ObjectRef,
  type Parser,
  type PatchOptions,
  type Reads,
  refused,
  toDisplayName,
  toRecord,
  toRef,
  type Unstructured,
  withoutUndefined,
} from '@capi-serverless/apimachinery';
import { applyMergePatch } from '@capi-serverless/apimachinery/json-patch';
import { toTimestamp } from '@capi-serverless/apimachinery/timestamp';
import type { PlannedWrite } from '../../shared/explain/face.ts';
import { OverlayReads } from './overlay-reads.ts';
import { type TryApply, toTrial } from './trial.ts';

/** The prefix of versions and uids that the API server has not assigned yet. */
export const plannedPrefix = 'planned-';

export interface WriteOverlay {
  readonly kubernetes: Kubernetes;
  /** The writes in the order in which they would be sent, without refused ones. */
  readonly writes: readonly PlannedWrite[];
}

/** The inputs of the simulation. */
interface OverlayOptions {
  readonly reads: Reads;
  readonly now: Instant;
  /**
   * Dry runs of the API server, which return the exact result of an apply. The code of the embedded server is used in
   * four cases: there is no server, the server refuses dry runs for this user, an earlier write has changed the object,
   * or `isGiven` is true for it.
   */
  readonly dryRun?: DryRun;
  /**
   * Returns whether the field owners of an object are unknown. Then an apply without other changes does not change
   * owners.
   */
  readonly lacksManagers?: (live: Unstructured) => boolean;
  /** Returns whether `reads` has the object in another state than the server. Default: never. */
  readonly isGiven?: (ref: ObjectRef) => boolean;
  /** Called once with a note if the API server refuses dry runs for this user. */
  readonly onRefused?: (note: string) => void;
}

/** Later reads return the result of earlier writes. */
export function overlayWrites(overlayOptions: OverlayOptions): WriteOverlay {
  const world = new OverlayKubernetes(overlayOptions);
  return { kubernetes: world, writes: world.writes };
}

type Change = Omit<PlannedWrite, 'before' | 'after' | 'ref'>;

class OverlayKubernetes implements Kubernetes {
  readonly writes: PlannedWrite[] = [];
  readonly dryRun: Kubernetes['dryRun'];
  readonly watches: Kubernetes['watches'];
  readonly #reads: OverlayReads;
  readonly #time: string;
  readonly #trial: TryApply;
  readonly #onRefused: (note: string) => void;
  readonly #lacksManagers: (live: Unstructured) => boolean;
  readonly #isGiven: (ref: ObjectRef) => boolean;
  /** `undefined` after the first refusal. */
  #dryRun: DryRun | undefined;

  constructor({
    reads,
    now,
    dryRun,
    onRefused = () => undefined,
    lacksManagers = () => false,
    isGiven = () => false,
  }: OverlayOptions) {
    this.#reads = new OverlayReads(reads);
    this.#isGiven = isGiven;
    this.#time = toTimestamp(now);
    this.#trial = toTrial(reads, now);
    this.#dryRun = dryRun;
    this.#onRefused = onRefused;
    this.#lacksManagers = lacksManagers;
    this.dryRun = { apply: async (object, options) => (await this.#applied(object, options)).after };
    this.watches = {
      page: async () => refused(notSimulated('page')),
      watch: async function* () {
        yield { type: 'FAILED', failure: notSimulated('watch') } as const;
      },
    };
  }

  get(ref: ObjectRef): Promise<Answer<Unstructured>>;
  get<T>(ref: ObjectRef, parse: Parser<T>): Promise<Answer<T>>;
  get<T>(ref: ObjectRef, parse?: Parser<T>): Promise<Answer<Unstructured | T>> {
    return parse === undefined ? this.#reads.get(ref) : this.#reads.get(ref, parse);
  }

  metadata(ref: ObjectRef) {
    return this.#reads.metadata(ref);
  }

  list(query: ListQuery): Promise<Answer<readonly Unstructured[]>>;
  list<T>(query: ListQuery, parse: Parser<T>): Promise<Answer<readonly T[]>>;
  list<T>(query: ListQuery, parse?: Parser<T>): Promise<Answer<readonly (Unstructured | T)[]>> {
    return parse === undefined ? this.#reads.list(query) : this.#reads.list(query, parse);
  }

  async create(object: Intent): Promise<Answer<Unstructured>> {
    const ref = toRef(object);
    const live = await this.#reads.get(ref);
    if (live.ok) {
      return refused({ reason: 'AlreadyExists', message: `${describe(ref)} already exists` });
    }
    // A user who may not read Secrets can also plan.
    if (!live.missing && !isRefusal(live.failure)) {
      return live;
    }
    return toUnstructured(this.#write(ref, { verb: 'create', body: object }, undefined, this.#created(object)));
  }

  async mergePatch(ref: ObjectRef, body: MergePatch, options: PatchOptions = {}): Promise<Answer<Unstructured>> {
    const live = await this.#reads.get(ref);
    if (!live.ok) {
      return live;
    }
    const { resourceVersion, subresource } = options;
    if (resourceVersion !== undefined && resourceVersion !== live.value.metadata.resourceVersion) {
      return refused(conflict(ref));
    }
    const change = { verb: 'patch', body, ...withoutUndefined({ subresource }) } as const;
    const patched = applyMergePatch(live.value, body) as Unstructured; // True: the result of a patch is an object.
    return toUnstructured(this.#write(ref, change, live.value, this.#next(live.value, patched)));
  }

  async jsonPatch(ref: ObjectRef): Promise<Answer<Unstructured>> {
    return refused({ ...notSimulated('jsonPatch'), message: `A JSON patch of ${describe(ref)} cannot be planned` });
  }

  async apply(object: Intent, options: ApplyOptions): Promise<Answer<Unstructured>> {
    const { before, after } = await this.#applied(object, options);
    return after.ok
      ? toUnstructured(this.#write(toRef(object), { verb: 'apply', body: object }, before, after.value))
      : after;
  }

  async delete(ref: ObjectRef, options: DeleteOptions = {}): Promise<Answer<Unstructured | undefined>> {
    const live = await this.#reads.get(ref);
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

  /** An object in deletion without finalizers is removed. */
  #write(
    ref: ObjectRef,
    change: Change,
    before: Unstructured | undefined,
    after: Unstructured,
  ): Answer<Unstructured | undefined> {
    const { deletionTimestamp, finalizers = [] } = after.metadata;
    const isGone = deletionTimestamp !== undefined && finalizers.length === 0;
    this.writes.push({ ...change, ref, before, after: isGone ? undefined : after });
    this.#reads.replace(ref, isGone ? undefined : after);
    return answered(isGone && change.verb === 'delete' ? undefined : after);
  }

  #created(object: Intent | Unstructured): Unstructured {
    const { uid: _, generation: __, ...metadata } = object.metadata;
    const uid = `${plannedPrefix}${this.writes.length + 1}`;
    const stored = { ...metadata, uid, resourceVersion: uid, generation: 1, creationTimestamp: this.#time };
    return { ...object, metadata: stored };
  }

  /** A change of the spec increases the generation, and every change sets a new version. */
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
    const live = await this.#reads.get(toRef(object));
    if (!live.ok) {
      const isNew = live.missing && options.uid === undefined;
      const made = isNew ? await this.#tried(object, undefined, options) : live;
      return { before: undefined, after: made.ok ? answered(this.#created(made.value)) : made };
    }
    const before = live.value;
    if (!isMeant(before.metadata, object.metadata, options)) {
      return { before, after: refused<Unstructured>(conflict(toRef(object))) };
    }
    const changed = await this.#tried(object, before, options);
    if (!changed.ok) {
      return { before, after: changed };
    }
    const after = this.#lacksManagers(before) ? withOwnersOf(before, changed.value) : changed.value;
    return { before, after: answered(this.#next(before, after)) };
  }

  async #tried(object: Intent, live: Unstructured | undefined, options: ApplyOptions): Promise<Answer<Unstructured>> {
    const ref = toRef(object);
    if (this.#dryRun !== undefined && !this.#reads.isReplaced(ref) && !this.#isGiven(ref)) {
      const answer = await this.#dryRun.apply(object, options);
      if (answer.ok || !isRefusal(answer.failure)) {
        return answer;
      }
      this.#refuse(answer.failure);
    }
    const { resourceVersion: _, ...metadata } = object.metadata;
    return this.#trial({ ...object, metadata }, live, options);
  }

  #refuse({ message }: ApiFailure): void {
    if (this.#dryRun !== undefined) {
      this.#dryRun = undefined;
      this.#onRefused(
        `the API server does not allow dry runs for this user, so the result of an apply is computed here: ${message}`,
      );
    }
  }
}

/** Returns whether the preconditions of an apply allow a change of this object. */
function isMeant(
  { uid, resourceVersion }: Unstructured['metadata'],
  intent: Intent['metadata'],
  options: ApplyOptions,
): boolean {
  const version = intent.resourceVersion ?? resourceVersion;
  return options.onlyCreate !== true && (options.uid ?? uid) === uid && version === resourceVersion;
}

/** Returns whether the user may not send the request. A webhook may also answer Forbidden, and means the object. */
export function isRefusal({ reason, message }: ApiFailure): boolean {
  return (reason === 'Forbidden' && !message.includes('admission webhook')) || reason === 'Unauthorized';
}

function withOwnersOf(before: Unstructured, after: Unstructured): Unstructured {
  const { managedFields } = toRecord(before.metadata);
  return { ...after, metadata: { ...after.metadata, ...{ managedFields } } };
}

/** The parts of an object whose change is a write. */
function atNoVersion(object: Unstructured): unknown {
  const { resourceVersion: _, generation: __, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function describe(ref: ObjectRef): string {
  return `${ref.kind} ${toDisplayName(ref)}`;
}

function conflict(ref: ObjectRef): ApiFailure {
  return { reason: 'Conflict', code: 409, message: `${describe(ref)} is not the one that was read` };
}

function notSimulated(request: string): ApiFailure {
  return { reason: 'BadRequest', message: `A plan makes no ${request} request` };
}

/**
 * Every write except a delete has a result. The answer contains even an object that was removed with its last
 * finalizer.
 */
function toUnstructured(answer: Answer<Unstructured | undefined>): Answer<Unstructured> {
  if (!answer.ok) {
    return answer;
  }
  return answer.value === undefined ? refused({ reason: 'NotFound', message: 'gone' }) : answered(answer.value);
}
