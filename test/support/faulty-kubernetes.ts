// A Kubernetes client that records calls. Tests script failures.

import {
  type Answer,
  type ApiFailure,
  type Intent,
  type Kubernetes,
  type ListedPage,
  type ListQuery,
  type ObjectMeta,
  type ObjectRef,
  type Parser,
  refused,
  toDisplayName,
  type Unstructured,
  type Watches,
} from '@capi-serverless/apimachinery';

const writeVerbs = ['create', 'patch', 'jsonPatch', 'apply', 'delete'] as const;
export type Verb = 'get' | 'metadata' | 'list' | 'page' | 'watch' | 'dryRun' | (typeof writeVerbs)[number];

export interface NumberedCall {
  /** The number of the call in the order of sending: 1, 2, … */
  readonly number: number;
  readonly verb: Verb;
  readonly kind: string;
  readonly of: ObjectRef | ListQuery;
  readonly subresource?: 'status';
  /** The request body: a patch, or an object. */
  readonly body?: unknown;
  /** The options, for example uid, resourceVersion and field manager. */
  readonly options?: object;
}

type Selector = number | ((call: NumberedCall) => boolean);

interface Fault {
  /** Selects the call with this number, or all calls that match. */
  readonly at: Selector;
  /** The result of the call. `crash` throws a Crash from the call, as if the process had ended. */
  readonly failure: ApiFailure | 'crash';
  /** Whether the call takes effect. Default: `before`, which means that it does not. */
  readonly when?: 'before' | 'after';
  /** The maximum number of failures. Default: no limit. */
  readonly times?: number;
}

export class Crash extends Error {
  override readonly name = 'Crash';
}

export interface FaultyKubernetes {
  readonly kubernetes: Kubernetes;
  /** All calls, including failed ones. */
  readonly all: readonly NumberedCall[];
  /** The sent writes, one line each: `patch Cluster ns/c1 status {…}`. Failed writes end with `→ <reason>`. */
  readonly writes: readonly string[];
  fail(fault: Fault): void;
  /** Runs a function immediately before a call is sent, for example a write of another client. */
  before(at: Selector, act: () => unknown): void;
  /** Clears calls, faults and interventions. */
  reset(): void;
}

interface Recorder {
  readonly all: NumberedCall[];
  readonly writes: string[];
  readonly faults: { readonly fault: Fault; left: number }[];
  readonly interventions: { readonly at: Selector; readonly act: () => unknown }[];
}

export function createFaultyKubernetes(inner: Kubernetes): FaultyKubernetes {
  const recorder: Recorder = { all: [], writes: [], faults: [], interventions: [] };
  return {
    kubernetes: wrap(inner, recorder),
    all: recorder.all,
    writes: recorder.writes,
    fail: fault => recorder.faults.push({ fault, left: fault.times ?? Number.POSITIVE_INFINITY }),
    before: (at, act) => recorder.interventions.push({ at, act }),
    reset() {
      for (const list of [recorder.all, recorder.writes, recorder.faults, recorder.interventions]) {
        list.length = 0;
      }
    },
  };
}

function wrap(inner: Kubernetes, recorder: Recorder): Kubernetes {
  return {
    ...wrapReads(inner, recorder),
    create: (object, options) =>
      send(recorder, written('create', object, options), () => inner.create(object, options)),
    mergePatch: (ref, body, options) =>
      send(recorder, { ...patched('patch', ref, options), body }, () => inner.mergePatch(ref, body, options)),
    jsonPatch: (ref, body, options) =>
      send(recorder, { ...patched('jsonPatch', ref, options), body }, () => inner.jsonPatch(ref, body, options)),
    apply: (object, options) => send(recorder, written('apply', object, options), () => inner.apply(object, options)),
    delete: (ref, options) =>
      send(recorder, { verb: 'delete', of: ref, ...(options && { options }) }, () => inner.delete(ref, options)),
    dryRun: {
      apply: (object, options) =>
        send(recorder, written('dryRun', object, options), () => inner.dryRun.apply(object, options)),
    },
    watches: {
      page: (query, options) =>
        send<ListedPage>(recorder, { verb: 'page', of: query }, () => inner.watches.page(query, options)),
      watch: (query, options) => watch(recorder, query, () => inner.watches.watch(query, options)),
    },
    within: signal => wrap(inner.within(signal), recorder),
  };
}

function wrapReads(inner: Kubernetes, recorder: Recorder): Pick<Kubernetes, 'get' | 'metadata' | 'list'> {
  async function get(ref: ObjectRef): Promise<Answer<Unstructured>>;
  async function get<T>(ref: ObjectRef, parse: Parser<T>): Promise<Answer<T>>;
  async function get<T>(ref: ObjectRef, parse?: Parser<T>): Promise<Answer<Unstructured | T>> {
    return send<Unstructured | T>(recorder, { verb: 'get', of: ref }, () =>
      parse === undefined ? inner.get(ref) : inner.get(ref, parse),
    );
  }
  async function list(query: ListQuery): Promise<Answer<readonly Unstructured[]>>;
  async function list<T>(query: ListQuery, parse: Parser<T>): Promise<Answer<readonly T[]>>;
  async function list<T>(query: ListQuery, parse?: Parser<T>): Promise<Answer<readonly (Unstructured | T)[]>> {
    return send<readonly (Unstructured | T)[]>(recorder, { verb: 'list', of: query }, () =>
      parse === undefined ? inner.list(query) : inner.list(query, parse),
    );
  }
  return {
    get,
    list,
    metadata: ref => send<ObjectMeta>(recorder, { verb: 'metadata', of: ref }, () => inner.metadata(ref)),
  };
}

type Sent = Omit<NumberedCall, 'number' | 'kind'>;

function written(verb: Verb, object: Intent, options: object | undefined): Sent {
  const { apiVersion, kind } = object;
  const { name, namespace } = object.metadata;
  const of = { apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) };
  return { verb, of, body: object, ...(options && { options }) };
}

function patched(verb: Verb, of: ObjectRef, options: { readonly subresource?: 'status' } | undefined): Sent {
  const { subresource } = options ?? {};
  return { verb, of, ...(subresource && { subresource }), ...(options && { options }) };
}

async function send<T>(recorder: Recorder, sent: Sent, perform: () => Promise<Answer<T>>): Promise<Answer<T>> {
  const call = record(recorder, sent);
  await intervene(recorder, call);
  const fault = nextFault(recorder, call);
  if (fault === undefined) {
    const answer = await perform();
    recordWrite(recorder, call, answer.ok ? '' : ` → ${answer.failure.reason}`);
    return answer;
  }
  if (fault.when === 'after') {
    await perform();
  }
  recordWrite(recorder, call, fault.failure === 'crash' ? ' → Crash' : ` → ${fault.failure.reason}`);
  return refused<T>(failureOf(fault, call));
}

async function* watch(
  recorder: Recorder,
  query: ListQuery,
  open: () => ReturnType<Watches['watch']>,
): ReturnType<Watches['watch']> {
  const call = record(recorder, { verb: 'watch', of: query });
  await intervene(recorder, call);
  const fault = nextFault(recorder, call);
  if (fault === undefined) {
    yield* open();
    return;
  }
  yield { type: 'FAILED', failure: failureOf(fault, call) };
}

function record(recorder: Recorder, sent: Sent): NumberedCall {
  const call = { ...sent, number: recorder.all.length + 1, kind: sent.of.kind };
  recorder.all.push(call);
  return call;
}

function selects(at: Selector, call: NumberedCall): boolean {
  return typeof at === 'number' ? at === call.number : at(call);
}

async function intervene(recorder: Recorder, call: NumberedCall): Promise<void> {
  for (const intervention of recorder.interventions.filter(({ at }) => selects(at, call))) {
    await intervention.act();
  }
}

function nextFault(recorder: Recorder, call: NumberedCall): Fault | undefined {
  const found = recorder.faults.find(({ fault, left }) => left > 0 && selects(fault.at, call));
  if (found !== undefined) {
    found.left -= 1;
  }
  return found?.fault;
}

function failureOf(fault: Fault, call: NumberedCall): ApiFailure {
  if (fault.failure === 'crash') {
    throw new Crash(`Crashed ${fault.when ?? 'before'} ${toLine(call)}`);
  }
  return fault.failure;
}

function recordWrite(recorder: Recorder, call: NumberedCall, outcome: string): void {
  if (writeVerbs.some(verb => verb === call.verb)) {
    recorder.writes.push(`${toLine(call)}${outcome}`);
  }
}

/** Prints the bodies of patches, but not complete objects, which may be Secrets. */
function toLine({ verb, kind, of, subresource, body }: NumberedCall): string {
  const name = 'name' in of ? toDisplayName(of) : (of.namespace ?? '');
  const shown = verb === 'patch' || verb === 'jsonPatch' ? JSON.stringify(body) : undefined;
  return [verb, kind, name, subresource, shown].filter(part => part !== undefined && part !== '').join(' ');
}
