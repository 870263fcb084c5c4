// Objects of files over those of an API server, as `kubectl apply` would leave them. Only reads and dry runs are sent.

import {
  type Answer,
  type ApiFailure,
  groupOf,
  type Instant,
  type Intent,
  type ObjectRef,
  type Parser,
  type Reads,
  refused,
  sameJson,
  toDisplayName,
  toRef,
  type Unstructured,
  withoutUndefined,
} from '@capi-serverless/apimachinery';
import { toTimestamp } from '@capi-serverless/apimachinery/timestamp';
import { UsageError } from '../../local/usage-error.ts';
import type { DryRunWrites } from '../../shared/kubernetes/rest/objects.ts';
import { changesOf } from './changes.ts';
import { type GivenObject, refuseOtherVersions, refuseRepetitions } from './files.ts';
import { type AppliedManifest, applyManifest, toSent } from './kubectl-apply.ts';
import { isRefusal } from './overlay-kubernetes.ts';
import { OverlayReads } from './overlay-reads.ts';
import type { StatusDifference } from './status-diff.ts';
import { type TryApply, toTrial } from './trial.ts';

/** What an apply of the files does to one object. */
export interface GivenChange {
  /** The name in the form `Kind namespace/name`. */
  readonly object: string;
  readonly outcome: 'new' | 'changed' | 'unchanged';
  /** Empty for a new object. */
  readonly changes: readonly StatusDifference[];
}

/** The objects of files over an API server. */
export interface GivenFiles {
  readonly reads: Reads;
  readonly changes: readonly GivenChange[];
  /** The new and the changed objects. */
  readonly changed: readonly Unstructured[];
  /** Returns whether the state of the object in the API server is another. */
  isGiven(ref: ObjectRef): boolean;
  readonly notes: readonly string[];
}

interface GivenOptions {
  readonly reads: Reads;
  readonly dryRun: Pick<DryRunWrites, 'create' | 'mergePatch'>;
  readonly now: Instant;
}

/** The prefix of versions of objects that only the files have in this state. */
export const givenPrefix = 'given-';

const definitionKind = 'CustomResourceDefinition';

/**
 * Throws UsageError for a duplicate object, for an object in a version that is never read, for one of Cluster API that
 * cannot be read on the server, and for one that would be refused.
 */
export async function giveFiles(objects: readonly Intent[], options: GivenOptions): Promise<GivenFiles> {
  refuseRepetitions(objects);
  refuseOtherVersions(objects);
  const applying = new GivenApplies(options);
  // Definitions first: they define kinds of the other objects.
  const [definitions, others] = [true, false].map(isFirst =>
    objects.filter(({ kind }) => (kind === definitionKind) === isFirst),
  );
  for (const object of [...(definitions ?? []), ...(others ?? [])]) {
    await applying.apply(object);
  }
  const { reads, changes, changed, notes } = applying;
  return { reads, changes, changed, isGiven: ref => reads.isReplaced(ref), notes };
}

class GivenApplies {
  readonly reads: OverlayReads;
  readonly changes: GivenChange[] = [];
  readonly changed: Unstructured[] = [];
  readonly notes: string[] = [];
  readonly #options: GivenOptions;
  readonly #trial: TryApply;
  #mayDryRun = true;

  constructor(options: GivenOptions) {
    this.#options = options;
    this.reads = new OverlayReads(withoutSecrets(options.reads, note => this.notes.push(note)));
    this.#trial = toTrial(this.reads, options.now);
  }

  async apply(object: Intent): Promise<void> {
    const ref = toRef(object);
    const live = await this.#live(ref);
    const applied = live === undefined ? undefined : applyManifest(live, object);
    if (live !== undefined && applied?.patch === undefined) {
      this.changes.push({ object: nameOf(ref), outcome: 'unchanged', changes: [] });
      return;
    }
    const after =
      applied === undefined || live === undefined ? await this.#made(object) : await this.#next(live, applied);
    const changes = live === undefined ? [] : changesOf(live, after, ref.kind);
    this.changes.push({ object: nameOf(ref), outcome: live === undefined ? 'new' : 'changed', changes });
    this.changed.push(after);
    this.reads.replace(ref, after);
  }

  async #live(ref: ObjectRef): Promise<Unstructured | undefined> {
    const answer = await this.reads.get(ref);
    if (answer.ok) {
      return answer.value;
    }
    const { message, notServed } = answer.failure;
    if (answer.missing || notServed === true) {
      return undefined;
    }
    if (groupOf(ref.apiVersion).endsWith('cluster.x-k8s.io')) {
      throw new UsageError(`${nameOf(ref)} of the files cannot be read on the API server: ${message}`);
    }
    this.notes.push(`${nameOf(ref)} of the files is taken as new, because it cannot be read: ${message}`);
    return undefined;
  }

  async #made(object: Intent): Promise<Unstructured> {
    const sent = toSent(object);
    const after = (await this.#tried(sent, () => this.#options.dryRun.create(sent))) ?? (await this.#computed(sent));
    const metadata = { ...after.metadata, uid: this.#placeholder('unknown-'), generation: 1 };
    return this.#unstored({ ...after, metadata: { ...metadata, creationTimestamp: toTimestamp(this.#options.now) } });
  }

  async #next(live: Unstructured, { merged, patch = {} }: AppliedManifest): Promise<Unstructured> {
    const tried = await this.#tried(merged, () => this.#options.dryRun.mergePatch(toRef(merged), patch));
    if (tried !== undefined) {
      return this.#unstored(tried);
    }
    const computed = await this.#computed(toSent(merged));
    const { generation = 0 } = live.metadata;
    const isChanged = !sameJson(live.spec, computed.spec);
    const metadata = { ...merged.metadata, generation: isChanged ? generation + 1 : generation };
    return this.#unstored({ ...computed, metadata, ...withoutUndefined({ status: live.status }) });
  }

  /** No API server has stored this state. */
  #unstored(object: Unstructured): Unstructured {
    return { ...object, metadata: { ...object.metadata, resourceVersion: this.#placeholder(givenPrefix) } };
  }

  #placeholder(prefix: string): string {
    return `${prefix}${this.changes.length + 1}`;
  }

  /** Returns `undefined` if the server allows no dry run, or does not know the kind or the namespace yet. */
  async #tried(object: GivenObject, dryRun: () => Promise<Answer<Unstructured>>): Promise<Unstructured | undefined> {
    const answer = this.#mayDryRun ? await dryRun() : undefined;
    if (answer === undefined || answer.ok) {
      return answer?.value;
    }
    const { failure } = answer;
    if (isRefusal(failure)) {
      this.#mayDryRun = false;
      this.notes.push(
        `the API server does not allow dry runs for this user, so the result of an apply of the files is computed here: ${failure.message}`,
      );
      return undefined;
    }
    return this.#unknownOr(object, failure);
  }

  /** The definition of the kind sets defaults and refuses wrong values. A kind without one is taken as it is. */
  async #computed(sent: Intent): Promise<Unstructured> {
    const answer = await this.#trial(sent, undefined, { fieldManager: 'kubectl', force: true });
    return answer.ok ? answer.value : (this.#unknownOr(sent, answer.failure) ?? toUnstored(sent));
  }

  #unknownOr(object: GivenObject, failure: ApiFailure): undefined {
    if (failure.reason === 'NotFound' || failure.notServed === true) {
      return undefined;
    }
    throw new UsageError(`An API server would refuse ${nameOf(toRef(object))} of the files: ${failure.message}`);
  }
}

/** A user who may not read Secrets can also plan: they are taken as missing. The note is sent once. */
function withoutSecrets(reads: Reads, onNote: (note: string) => void): Reads {
  let isNoted = false;
  const orMissing = <T>(answer: Answer<T>, { kind, name }: ObjectRef): Answer<T> => {
    if (answer.ok || kind !== 'Secret' || !isRefusal(answer.failure)) {
      return answer;
    }
    if (!isNoted) {
      onNote(`this user may not read Secrets, and they are taken as missing: ${answer.failure.message}`);
      isNoted = true;
    }
    return refused({ reason: 'NotFound', code: 404, message: `Secret ${name} cannot be read` });
  };
  async function get(ref: ObjectRef): Promise<Answer<Unstructured>>;
  async function get<T>(ref: ObjectRef, parse: Parser<T>): Promise<Answer<T>>;
  async function get<T>(ref: ObjectRef, parse?: Parser<T>): Promise<Answer<Unstructured | T>> {
    return parse === undefined ? orMissing(await reads.get(ref), ref) : orMissing(await reads.get(ref, parse), ref);
  }
  return { get, metadata: async ref => orMissing(await reads.metadata(ref), ref), list: reads.list.bind(reads) };
}

function toUnstored(sent: Intent): Unstructured {
  return { ...sent, metadata: { ...sent.metadata, uid: '', resourceVersion: '' } };
}

function nameOf(ref: ObjectRef): string {
  return `${ref.kind} ${toDisplayName(ref)}`;
}
