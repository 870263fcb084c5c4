// Reads and writes of objects as requests to an API server, and its answers as objects.

import {
  type Answer,
  type ApiFailure,
  type ApplyOptions,
  answered,
  type DeleteOptions,
  type DryRun,
  type Intent,
  isJsonObject,
  type JsonObject,
  type JsonPatchOperation,
  type ListedPage,
  type ListQuery,
  largerLimit,
  type MergePatch,
  type ObjectMeta,
  type ObjectRef,
  type Parser,
  type PatchOptions,
  pageSize,
  type Reads,
  refused,
  smallerLimit,
  toDisplayName,
  type Unstructured,
  type WatchQuery,
  type Writes,
  withoutUndefined,
} from '@capi-serverless/apimachinery';
import { toManifestBody } from '../../workload/manifest-body.ts';
import { parseObject, toApplyBody, toListedPage, toUnstructured } from './bodies.ts';
import { countValues, objectFields, toKeptFields } from './json-bytes.ts';
import { type AnswerSize, type ApiCall, toSummary } from './requester.ts';
import { toFieldSelector, toLabelSelector } from './urls.ts';
import { defaultFieldManager } from './version.ts';
import { metadataAccept } from './watch.ts';

/** Sends one request. Returns the parsed JSON of the answer, or a failure. */
export type Send = (call: ApiCall, signal?: AbortSignal) => Promise<Answer<unknown>>;

const metadataListAccept = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
const json = 'application/json';
const mergePatchType = 'application/merge-patch+json';
const jsonPatchType = 'application/json-patch+json';
/** The server parses this content type as YAML, of which JSON is a subset. */
const applyPatchType = 'application/apply-patch+yaml';

/** The value of the query parameter: all stages run, and nothing is stored. */
const dryRun = 'All';

/** The number of tries for a list whose pages change their version. */
const listTries = 2;
const maxPages = 2000;
/** The maximum size of all pages of a list whose objects are kept. Its values take up to 100 MiB after parsing. */
const largestList: AnswerSize = { bytes: 64 * 1024 * 1024, values: 1_600_000 };

/** Dry runs of the writes of `kubectl apply`, in addition to server-side apply. */
export interface DryRunWrites extends DryRun {
  create(object: Intent): Promise<Answer<Unstructured>>;
  mergePatch(ref: ObjectRef, body: MergePatch): Promise<Answer<Unstructured>>;
}

interface WriteQuery {
  readonly fieldManager?: string;
  readonly dryRun?: typeof dryRun;
}

type ParseObject<T> = (object: Unstructured) => Answer<T>;

interface PageOptions {
  readonly limit: number;
  readonly continue?: string;
  readonly signal?: AbortSignal;
  readonly onSize?: (size: AnswerSize) => void;
}

function toTooLargeList({ kind, namespace }: ListQuery, what: string, { bytes, values }: AnswerSize): string {
  const place = namespace === undefined ? '' : ` in namespace ${namespace}`;
  return `list of ${kind}${place}: ${what} larger than ${bytes} bytes or ${values} JSON values`;
}

/** Adds up sizes. Returns whether the sum is larger than `most`. */
function isMoreThan(most: AnswerSize): (size: AnswerSize) => boolean {
  const sum = { bytes: 0, values: 0 };
  return ({ bytes, values }) => {
    sum.bytes += bytes;
    sum.values += values;
    return sum.bytes > most.bytes || sum.values > most.values;
  };
}

/** The size of a value as JSON. */
function sizeOf(value: unknown): AnswerSize {
  const json = Buffer.from(JSON.stringify(value) ?? '');
  return { bytes: json.length, values: countValues(json, json.length) };
}

function toKept(parts: readonly string[] | undefined): Pick<ApiCall, 'keep'> {
  const fields = [...objectFields, ...(parts ?? [])];
  return parts === undefined
    ? {}
    : { keep: toKeptFields(['kind', 'apiVersion', 'metadata', ...fields.map(field => `items.${field}`)]) };
}

export class RestObjects implements Reads, Writes {
  readonly dryRun: DryRunWrites;
  readonly #send: Send;
  readonly #largestResult: AnswerSize | undefined;

  /** `largestResult`: the maximum size of the result of a list, after its objects were parsed. Default: no limit. */
  constructor(send: Send, largestResult?: AnswerSize) {
    this.#send = send;
    this.#largestResult = largestResult;
    this.dryRun = {
      apply: (object, options) => this.#apply(object, options, true),
      create: object => this.#create(object, { dryRun }),
      mergePatch: (ref, body) => this.#patch(ref, { type: mergePatchType, json: body }, {}, { dryRun }),
    };
  }

  get(ref: ObjectRef): Promise<Answer<Unstructured>>;
  get<T>(ref: ObjectRef, parse: Parser<T>): Promise<Answer<T>>;
  async get<T>(ref: ObjectRef, parse?: Parser<T>): Promise<Answer<T | Unstructured>> {
    const answer = await this.#object({ verb: 'get', target: ref });
    return answer.ok && parse !== undefined ? parseObject(answer.value, parse) : answer;
  }

  async metadata(ref: ObjectRef): Promise<Answer<ObjectMeta>> {
    const answer = await this.#object({ verb: 'get', target: ref, accept: metadataAccept });
    return answer.ok ? answered(answer.value.metadata) : answer;
  }

  list(query: ListQuery): Promise<Answer<readonly Unstructured[]>>;
  list<T>(query: ListQuery, parse: Parser<T>): Promise<Answer<readonly T[]>>;
  async list<T>(query: ListQuery, parse?: Parser<T>): Promise<Answer<readonly (T | Unstructured)[]>> {
    return parse === undefined
      ? this.#listAll(query, answered)
      : this.#listAll(query, object => parseObject(object, parse));
  }

  create(object: Intent, options: { readonly fieldManager?: string } = {}): Promise<Answer<Unstructured>> {
    return this.#create(object, options);
  }

  #create(object: Intent, options: WriteQuery): Promise<Answer<Unstructured>> {
    const { apiVersion, kind, metadata } = object;
    return this.#object({
      verb: 'create',
      target: { apiVersion, kind, namespace: metadata.namespace },
      objectName: metadata.name,
      query: { fieldManager: options.fieldManager ?? defaultFieldManager, dryRun: options.dryRun },
      body: { type: json, json: object },
    });
  }

  createManifest(object: JsonObject, place: ObjectRef): Promise<Answer<Unstructured>> {
    const { name, ...target } = place;
    const query = { fieldManager: defaultFieldManager };
    const body = { type: json, json: toManifestBody(object, place) };
    return this.#object({ verb: 'create', target, objectName: name, query, body });
  }

  mergePatch(ref: ObjectRef, body: MergePatch, options: PatchOptions = {}): Promise<Answer<Unstructured>> {
    const { resourceVersion } = options;
    const metadata = isJsonObject(body['metadata']) ? body['metadata'] : {};
    const locked = resourceVersion === undefined ? body : { ...body, metadata: { ...metadata, resourceVersion } };
    return this.#patch(ref, { type: mergePatchType, json: locked }, options);
  }

  /**
   * The precondition is part of the patch, not a JSON patch test. A failed test would be Invalid, but a wrong version
   * is a Conflict.
   */
  jsonPatch(
    ref: ObjectRef,
    body: readonly JsonPatchOperation[],
    options: PatchOptions = {},
  ): Promise<Answer<Unstructured>> {
    const value = options.resourceVersion;
    const lock = value === undefined ? [] : [{ op: 'replace', path: '/metadata/resourceVersion', value }];
    return this.#patch(ref, { type: jsonPatchType, json: [...lock, ...body] }, options);
  }

  apply(object: Intent, options: ApplyOptions): Promise<Answer<Unstructured>> {
    return this.#apply(object, options, false);
  }

  /** All options are in the body, because the server ignores the query if there is a body. */
  async delete(ref: ObjectRef, options: DeleteOptions = {}): Promise<Answer<Unstructured | undefined>> {
    const { uid, resourceVersion, propagationPolicy, gracePeriodSeconds } = options;
    const body = {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      ...(uid === undefined && resourceVersion === undefined ? {} : { preconditions: { uid, resourceVersion } }),
      ...withoutUndefined({ propagationPolicy, gracePeriodSeconds }),
    };
    const answer = await this.#send({ verb: 'delete', target: ref, body: { type: json, json: body } });
    if (!answer.ok) {
      return answer;
    }
    // A Status means that the object is gone. Some kinds return the removed object without a deletionTimestamp.
    const object = toUnstructured(answer.value, ref);
    return answered(object.metadata.deletionTimestamp === undefined ? undefined : object);
  }

  #patch(
    ref: ObjectRef,
    body: NonNullable<ApiCall['body']>,
    options: PatchOptions,
    query: WriteQuery = {},
  ): Promise<Answer<Unstructured>> {
    return this.#object({
      verb: 'patch',
      target: { ...ref, subresource: options.subresource },
      query: { fieldManager: options.fieldManager ?? defaultFieldManager, ...query },
      body,
    });
  }

  #apply(object: Intent, options: ApplyOptions, isDryRun: boolean): Promise<Answer<Unstructured>> {
    const { apiVersion, kind, metadata } = object;
    const { fieldManager, force } = options;
    return this.#object({
      verb: 'apply',
      target: { apiVersion, kind, namespace: metadata.namespace, name: metadata.name },
      query: { fieldManager, force, dryRun: isDryRun ? dryRun : undefined },
      body: { type: applyPatchType, json: toApplyBody(object, options) },
    });
  }

  /** If a list expires between two pages, it starts again once. */
  async #listAll<T>(query: ListQuery, parse: ParseObject<T>): Promise<Answer<readonly T[]>> {
    let answer = await this.#listOnce(query, parse);
    for (let attempt = 1; attempt < listTries && !answer.ok && answer.failure.reason === 'Gone'; attempt += 1) {
      answer = await this.#listOnce(query, parse);
    }
    return answer;
  }

  /** Parses page by page, so that only the results of the parser are kept. */
  async #listOnce<T>(query: ListQuery, parse: ParseObject<T>): Promise<Answer<readonly T[]>> {
    const results: T[] = [];
    let next: string | undefined;
    const { limit: most = pageSize, as = 'object', until = () => false } = query;
    let limit = most;
    const keep = this.#keeper(query, results, parse);
    const isTooMuch = isMoreThan(largestList);
    let tooLarge = false;
    const onSize = (size: AnswerSize): void => {
      tooLarge = isTooMuch(size);
    };
    for (let count = 0; count < maxPages; count += 1) {
      const page = await this.#page({ ...query, as }, { limit, onSize, ...withoutUndefined({ continue: next }) });
      const smaller = page.ok || page.failure.tooLarge === undefined ? undefined : smallerLimit(limit);
      if (!page.ok && smaller === undefined) {
        return this.#named(page, { ...query, as }, next);
      }
      if (!page.ok || smaller !== undefined) {
        limit = smaller ?? limit;
        continue;
      }
      if (tooLarge) {
        return refused({ reason: 'InternalError', message: toTooLargeList(query, 'the list is', largestList) });
      }
      limit = largerLimit(limit, most);
      const problem = keep(page.value.items);
      if (problem !== undefined) {
        return refused(problem);
      }
      next = page.value.continue;
      if (next === undefined || page.value.items.some(until)) {
        return answered(results);
      }
    }
    const message = `list of ${query.kind}: more than ${maxPages * most} objects`;
    return refused({ reason: 'InternalError', message });
  }

  /** Returns a function that adds the objects of a page to `results`, or returns why it cannot. */
  #keeper<T>(
    query: ListQuery,
    results: T[],
    parse: ParseObject<T>,
  ): (objects: readonly Unstructured[]) => ApiFailure | undefined {
    const most = this.#largestResult;
    const isTooMuch = most === undefined ? undefined : isMoreThan(most);
    return objects => {
      for (const object of objects) {
        const parsed = parse(object);
        if (!parsed.ok) {
          return parsed.failure;
        }
        if (most !== undefined && isTooMuch?.(sizeOf(parsed.value)) === true) {
          return { reason: 'InternalError', message: toTooLargeList(query, 'what is used of it is', most) };
        }
        results.push(parsed.value);
      }
      return undefined;
    };
  }

  /** Names the object in the failure of a list if it alone is too large. */
  async #named(
    refusal: Answer<ListedPage> & { readonly ok: false },
    query: WatchQuery,
    from: string | undefined,
  ): Promise<Answer<never>> {
    const { failure } = refusal;
    if (failure.tooLarge === undefined) {
      return refusal;
    }
    const page = await this.page({ ...query, as: 'metadata' }, { limit: 1, ...withoutUndefined({ continue: from }) });
    const [object] = page.ok ? page.value.items : [];
    return object === undefined
      ? refusal
      : refused({ ...failure, message: `${failure.message}: ${query.kind} ${toDisplayName(object.metadata)} alone` });
  }

  /** Reads one page. */
  page(query: WatchQuery, options: Omit<PageOptions, 'onSize'>): Promise<Answer<ListedPage>> {
    return this.#page(query, options);
  }

  async #page(query: WatchQuery, options: PageOptions): Promise<Answer<ListedPage>> {
    const { apiVersion, kind, namespace } = query;
    const call: ApiCall = {
      verb: 'list',
      target: { apiVersion, kind, namespace },
      query: {
        labelSelector: toLabelSelector(query.labels, query.withLabels),
        fieldSelector: toFieldSelector(query.fields),
        limit: options.limit,
        continue: options.continue,
      },
      ...withoutUndefined({ onSize: options.onSize }),
      ...(query.as === 'metadata' ? { accept: metadataListAccept } : toKept(query.parts)),
    };
    const answer = await this.#send(call, options.signal);
    if (!answer.ok) {
      return answer;
    }
    try {
      return answered(toListedPage(answer.value, query));
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      return refused({ reason: 'InternalError', message: `${toSummary(call).label}: ${problem}` });
    }
  }

  async #object(call: ApiCall): Promise<Answer<Unstructured>> {
    const answer = await this.#send(call);
    return answer.ok ? answered(toUnstructured(answer.value, call.target)) : answer;
  }
}
