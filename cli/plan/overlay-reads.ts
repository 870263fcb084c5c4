// Reads of an API server with some of its objects replaced: by planned writes, or by the objects of files.
import {
  type Answer,
  answered,
  groupOf,
  type ListQuery,
  matchesFields,
  type ObjectMeta,
  type ObjectRef,
  type Parser,
  type Reads,
  refused,
  toDisplayName,
  type Unstructured,
} from '@capi-serverless/apimachinery';
import { parseObject } from '../../shared/kubernetes/rest/bodies.ts';

interface Replacement {
  readonly ref: ObjectRef;
  /** `undefined` if the object is gone. */
  readonly object: Unstructured | undefined;
}

/** Objects that were replaced are never requested. Objects are the same in all versions of their kind. */
export class OverlayReads implements Reads {
  readonly #reads: Reads;
  readonly #replaced = new Map<string, Replacement>();

  constructor(reads: Reads) {
    this.#reads = reads;
  }

  /** Later reads return this object, or none if it is `undefined`. */
  replace(ref: ObjectRef, object: Unstructured | undefined): void {
    this.#replaced.set(keyOf(ref), { ref, object });
  }

  isReplaced(ref: ObjectRef): boolean {
    return this.#replaced.has(keyOf(ref));
  }

  async get(ref: ObjectRef): Promise<Answer<Unstructured>>;
  async get<T>(ref: ObjectRef, parse: Parser<T>): Promise<Answer<T>>;
  async get<T>(ref: ObjectRef, parse?: Parser<T>): Promise<Answer<Unstructured | T>> {
    const replaced = this.#replaced.get(keyOf(ref));
    const answer = replaced === undefined ? await this.#reads.get(ref) : toAnswer(replaced);
    return answer.ok && parse !== undefined ? parseObject(answer.value, parse) : answer;
  }

  async metadata(ref: ObjectRef): Promise<Answer<ObjectMeta>> {
    const replaced = this.#replaced.get(keyOf(ref));
    // A user who may only read metadata can also plan.
    if (replaced === undefined) {
      return this.#reads.metadata(ref);
    }
    const answer = toAnswer(replaced);
    return answer.ok ? answered(answer.value.metadata) : answer;
  }

  async list(query: ListQuery): Promise<Answer<readonly Unstructured[]>>;
  async list<T>(query: ListQuery, parse: Parser<T>): Promise<Answer<readonly T[]>>;
  async list<T>(query: ListQuery, parse?: Parser<T>): Promise<Answer<readonly (Unstructured | T)[]>> {
    const answer = await this.#reads.list(query);
    if (!answer.ok) {
      return answer;
    }
    const untouched = answer.value.filter(object => !this.isReplaced({ ...object, ...object.metadata }));
    const replaced = [...this.#replaced.values()].flatMap(({ object }) =>
      object !== undefined && isSelected(object, query) ? [object] : [],
    );
    const items: (Unstructured | T)[] = [];
    for (const object of [...untouched, ...replaced]) {
      const parsed = parse === undefined ? answered(object) : parseObject(object, parse);
      if (!parsed.ok) {
        return parsed;
      }
      items.push(parsed.value);
    }
    return answered(items);
  }
}

function toAnswer({ ref, object }: Replacement): Answer<Unstructured> {
  return object === undefined
    ? refused({ reason: 'NotFound', code: 404, message: `${ref.kind} ${toDisplayName(ref)} not found` })
    : answered(object);
}

function keyOf({ apiVersion, kind, namespace = '', name }: ObjectRef): string {
  return JSON.stringify([groupOf(apiVersion), kind, namespace, name]);
}

function isSelected(object: Unstructured, query: ListQuery): boolean {
  const { apiVersion, kind, metadata } = object;
  return (
    kind === query.kind &&
    groupOf(apiVersion) === groupOf(query.apiVersion) &&
    (query.namespace === undefined || query.namespace === metadata.namespace) &&
    Object.entries(query.labels ?? {}).every(([key, value]) => metadata.labels?.[key] === value) &&
    (query.withLabels ?? []).every(key => metadata.labels?.[key] !== undefined) &&
    matchesFields(object, query.fields ?? {})
  );
}
