// Reads over a list of objects, for one pass of a reconciler. Records the reads of each round trip. Tests can script
// failures.

import {
  type Answer,
  answered,
  type FailureReason,
  groupOf,
  type ListQuery,
  matchesFields,
  type ObjectRef,
  type Parser,
  pluralOf,
  type Reads,
  refused,
  type Unstructured,
} from '@capi-serverless/apimachinery';
import { type Built, built } from './object-builder.ts';

export interface ReadFault {
  /**
   * The name of a read, for example `get FooCluster ns/i1`, `metadata CustomResourceDefinition …`, `list Machine ns`.
   */
  readonly at: string;
  readonly message: string;
  readonly reason?: FailureReason;
  readonly notServed?: true;
}

export interface FakeReads extends Reads {
  /** The reads, one list per round trip. All reads of a round trip are answered at the same time. */
  readonly trips: readonly (readonly string[])[];
}

export function fakeReads(objects: readonly Built<Unstructured>[], faults: readonly ReadFault[] = []): FakeReads {
  const stored = objects.map(object => built(object));
  const trips: string[][] = [];
  let trip: Promise<void> | undefined;

  async function ask<T>(line: string, answer: () => Answer<T>): Promise<Answer<T>> {
    if (trip === undefined) {
      trips.push([]);
      trip = new Promise(resolve => {
        setImmediate(() => {
          trip = undefined;
          resolve();
        });
      });
    }
    trips.at(-1)?.push(line);
    await trip;
    const fault = faults.find(({ at }) => at === line);
    if (fault === undefined) {
      return answer();
    }
    const { at: _at, ...failure } = fault;
    return refused({ reason: 'InternalError', ...failure });
  }

  function find(ref: ObjectRef): Answer<Unstructured> {
    const found = stored.find(object => isNamed(object, ref));
    const resource = [pluralOf(ref.kind), groupOf(ref.apiVersion)].filter(part => part !== '').join('.');
    return found === undefined
      ? refused({ reason: 'NotFound', code: 404, message: `${resource} "${ref.name}" not found` })
      : answered(found);
  }

  async function get<T>(ref: ObjectRef, parse?: Parser<T>): Promise<Answer<Unstructured | T>> {
    return map(await ask(`get ${ref.kind} ${place(ref)}`, () => find(ref)), parse);
  }

  async function list<T>(query: ListQuery, parse?: Parser<T>): Promise<Answer<readonly (Unstructured | T)[]>> {
    const answer = await ask(`list ${query.kind} ${query.namespace ?? ''}`, () =>
      answered(stored.filter(object => isSelected(object, query)).map(object => shown(object, query))),
    );
    return answer.ok && parse !== undefined ? answered(answer.value.map(item => parse(item))) : answer;
  }

  return {
    trips,
    // True: according to the overloads, the answer contains the result of `parse`, or the object itself without
    // `parse`.
    get: get as Reads['get'],
    list: list as Reads['list'],
    metadata: async ref => {
      const answer = await ask(`metadata ${ref.kind} ${place(ref)}`, () => find(ref));
      return answer.ok ? answered(answer.value.metadata) : answer;
    },
  };
}

function map<T>(answer: Answer<Unstructured>, parse: Parser<T> | undefined): Answer<Unstructured | T> {
  return answer.ok && parse !== undefined ? answered(parse(answer.value)) : answer;
}

function place({ namespace, name }: { readonly namespace?: string; readonly name: string }): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

function shown(object: Unstructured, { as }: ListQuery): Unstructured {
  const { apiVersion, kind, metadata } = object;
  return as === 'metadata' ? { apiVersion, kind, metadata } : object;
}

function isNamed({ apiVersion, kind, metadata }: Unstructured, ref: ObjectRef): boolean {
  const isHere = ref.namespace === undefined || ref.namespace === metadata.namespace;
  return isHere && apiVersion === ref.apiVersion && kind === ref.kind && metadata.name === ref.name;
}

function isSelected(object: Unstructured, query: ListQuery): boolean {
  const { apiVersion, kind, metadata } = object;
  const isHere = query.namespace === undefined || query.namespace === metadata.namespace;
  const isLabelled = Object.entries(query.labels ?? {}).every(([key, value]) => metadata.labels?.[key] === value);
  const hasKeys = (query.withLabels ?? []).every(key => metadata.labels?.[key] !== undefined);
  const isOfKind = apiVersion === query.apiVersion && kind === query.kind;
  return isHere && isLabelled && hasKeys && isOfKind && matchesFields(object, query.fields ?? {});
}
