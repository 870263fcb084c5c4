// The REST adapter of the Kubernetes port: a thin client over kept-alive connections.
import { type Answer, answered, refused } from '../../api/answer.ts';
import type {
  Intent,
  JsonPatchOperation,
  ListQuery,
  MergePatch,
  ObjectMeta,
  ObjectRef,
  Parser,
  Unstructured,
} from '../../api/object.ts';
import type { Credentials } from '../credentials/credentials.ts';
import { pageSize } from '../pages.ts';
import type {
  ApplyOptions,
  DeleteOptions,
  DryRun,
  Kubernetes,
  ListedPage,
  PatchOptions,
  Watches,
  WatchQuery,
} from '../port.ts';
import { isFields, parseObject, toListedPage, toUnstructured } from './bodies.ts';
import { defaultLimits, type Limits } from './connection.ts';
import { type Call, Requester, toAsked } from './requester.ts';
import { toLabelSelector } from './urls.ts';
import { defaultFieldManager, userAgent } from './version.ts';
import { metadataAccept, watch } from './watch.ts';

export interface KubernetesOptions {
  readonly credentials: Credentials;
  /** Who sends the requests, in the facts about them: a function's name. */
  readonly client: string;
  readonly userAgent?: string;
  readonly limits?: Partial<Limits>;
}

/** Connections are opened when they are needed and kept; they hold no process back from ending. */
export function createKubernetes(options: KubernetesOptions): Kubernetes {
  const limits = { ...defaultLimits, ...options.limits };
  const { credentials, client } = options;
  const requester = new Requester({ credentials, client, userAgent: options.userAgent ?? userAgent, limits });
  return new RestKubernetes(requester, { maxEventBytes: limits.maxAnswerBytes });
}

const metadataListAccept = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
const json = 'application/json';
const mergePatchType = 'application/merge-patch+json';
const jsonPatchType = 'application/json-patch+json';
/** The server parses it as YAML, of which JSON is a part. */
const applyPatchType = 'application/apply-patch+yaml';

/** A list that changes its pages' version more often than this is given up. */
const listTries = 2;
const maxPages = 2000;

interface Scope {
  readonly maxEventBytes: number;
  readonly signal?: AbortSignal;
}

class RestKubernetes implements Kubernetes {
  readonly dryRun: DryRun;
  readonly watches: Watches;
  readonly #requester: Requester;
  readonly #scope: Scope;

  constructor(requester: Requester, scope: Scope) {
    this.#requester = requester;
    this.#scope = scope;
    this.dryRun = { apply: (object, options) => this.#apply(object, options, true) };
    this.watches = {
      page: (query, options) => this.#page(query, options),
      watch: (query, options) =>
        watch(requester, query, {
          ...options,
          signal: this.#signal(options.signal) ?? options.signal,
          maxEventBytes: scope.maxEventBytes,
        }),
    };
  }

  within(signal: AbortSignal): Kubernetes {
    return new RestKubernetes(this.#requester, { ...this.#scope, signal: this.#signal(signal) ?? signal });
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
    const listed = await this.#listAll(query);
    if (!listed.ok || parse === undefined) {
      return listed;
    }
    const values: T[] = [];
    for (const object of listed.value) {
      const parsed = parseObject(object, parse);
      if (!parsed.ok) {
        return parsed;
      }
      values.push(parsed.value);
    }
    return answered(values);
  }

  create(object: Intent, options: { readonly fieldManager?: string } = {}): Promise<Answer<Unstructured>> {
    const { apiVersion, kind, metadata } = object;
    return this.#object({
      verb: 'create',
      target: { apiVersion, kind, namespace: metadata.namespace },
      objectName: metadata.name,
      query: { fieldManager: options.fieldManager ?? defaultFieldManager },
      body: { type: json, json: object },
    });
  }

  mergePatch(ref: ObjectRef, body: MergePatch, options: PatchOptions = {}): Promise<Answer<Unstructured>> {
    const { resourceVersion } = options;
    const metadata = isFields(body['metadata']) ? body['metadata'] : {};
    const locked = resourceVersion === undefined ? body : { ...body, metadata: { ...metadata, resourceVersion } };
    return this.#patch(ref, { type: mergePatchType, json: locked }, options);
  }

  /** The precondition is written, not tested: a failed test would be Invalid, a foreign version is a Conflict. */
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

  /** Everything goes into the body: beside one, the server ignores the query. */
  async delete(ref: ObjectRef, options: DeleteOptions = {}): Promise<Answer<Unstructured | undefined>> {
    const { uid, resourceVersion, propagationPolicy } = options;
    const body = {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      ...(uid === undefined && resourceVersion === undefined ? {} : { preconditions: { uid, resourceVersion } }),
      ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    };
    const answer = await this.#send({ verb: 'delete', target: ref, body: { type: json, json: body } });
    if (!answer.ok) {
      return answer;
    }
    // A Status says that the object is gone. Some kinds answer with what was removed: not marked, so gone as well.
    const object = toUnstructured(answer.value, ref);
    return answered(object.metadata.deletionTimestamp === undefined ? undefined : object);
  }

  #patch(ref: ObjectRef, body: NonNullable<Call['body']>, options: PatchOptions): Promise<Answer<Unstructured>> {
    return this.#object({
      verb: 'patch',
      target: { ...ref, subresource: options.subresource },
      query: { fieldManager: options.fieldManager ?? defaultFieldManager },
      body,
    });
  }

  #apply(object: Intent, options: ApplyOptions, isDryRun: boolean): Promise<Answer<Unstructured>> {
    const { apiVersion, kind, metadata } = object;
    const { uid, fieldManager, force } = options;
    const intent = uid === undefined ? object : { ...object, metadata: { ...metadata, uid } };
    return this.#object({
      verb: 'apply',
      target: { apiVersion, kind, namespace: metadata.namespace, name: metadata.name },
      query: { fieldManager, force, dryRun: isDryRun ? 'All' : undefined },
      body: { type: applyPatchType, json: intent },
    });
  }

  /** A list that expires between two pages is read once more from the start. */
  async #listAll(query: ListQuery): Promise<Answer<readonly Unstructured[]>> {
    let answer = await this.#listOnce(query);
    for (let attempt = 1; attempt < listTries && !answer.ok && answer.failure.reason === 'Gone'; attempt += 1) {
      answer = await this.#listOnce(query);
    }
    return answer;
  }

  async #listOnce(query: ListQuery): Promise<Answer<readonly Unstructured[]>> {
    const items: Unstructured[] = [];
    let next: string | undefined;
    for (let count = 0; count < maxPages; count += 1) {
      const options = { limit: pageSize, ...(next === undefined ? {} : { continue: next }) };
      const page = await this.#page({ ...query, as: 'object' }, options);
      if (!page.ok) {
        return page;
      }
      items.push(...page.value.items);
      next = page.value.continue;
      if (next === undefined) {
        return answered(items);
      }
    }
    const message = `list of ${query.kind}: more than ${maxPages * pageSize} objects`;
    return refused({ reason: 'InternalError', message });
  }

  async #page(
    query: WatchQuery,
    options: { readonly limit: number; readonly continue?: string; readonly signal?: AbortSignal },
  ): Promise<Answer<ListedPage>> {
    const { apiVersion, kind, namespace } = query;
    const call: Call = {
      verb: 'list',
      target: { apiVersion, kind, namespace },
      query: { labelSelector: toLabelSelector(query.labels), limit: options.limit, continue: options.continue },
      ...(query.as === 'metadata' ? { accept: metadataListAccept } : {}),
    };
    const answer = await this.#send(call, options.signal);
    if (!answer.ok) {
      return answer;
    }
    try {
      return answered(toListedPage(answer.value, query));
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      return refused({ reason: 'InternalError', message: `${toAsked(call).label}: ${problem}` });
    }
  }

  async #object(call: Call): Promise<Answer<Unstructured>> {
    const answer = await this.#send(call);
    return answer.ok ? answered(toUnstructured(answer.value, call.target)) : answer;
  }

  #send(call: Call, signal?: AbortSignal): Promise<Answer<unknown>> {
    return this.#requester.send(call, this.#signal(signal));
  }

  #signal(signal: AbortSignal | undefined): AbortSignal | undefined {
    const own = this.#scope.signal;
    return own === undefined || signal === undefined ? (own ?? signal) : AbortSignal.any([own, signal]);
  }
}
