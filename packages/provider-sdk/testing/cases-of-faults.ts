// The final state must be the same with faults: a crash at each write, repeated calls, concurrent calls.
import { type Kubernetes, toRecord, toSortedJson, type Unstructured } from '@capi-serverless/apimachinery';
import { storedConditions } from '@capi-serverless/cluster-api/conditions';
import { readList, valueOr } from '@capi-serverless/cluster-api/contract';
import { type Around, aroundWrites } from './around-writes.ts';
import { expectThat } from './expectations.ts';
import type { Life } from './life.ts';
import type { ConformanceCase, ConformanceSetup } from './setup.ts';

/** The maximum number of writes of one run. It limits the search for the last write. */
const mostWrites = 100;

/** Each run starts with new objects. */
interface Faulty {
  readonly begin: () => Promise<FaultyLife>;
  readonly kubernetes: () => Kubernetes;
}

interface FaultyLife extends Life {
  readonly setup: Pick<ConformanceSetup, 'varies'>;
  /** Runs passes until the object is ready. */
  settleReady(pass: () => Promise<unknown>): Promise<unknown>;
}

export function faultCases(of: Faulty): readonly ConformanceCase[] {
  return [
    { name: 'becomes ready if a crash prevents any one write', run: () => survives(of, 'before', live) },
    { name: 'becomes ready if a crash follows any one write', run: () => survives(of, 'after', live) },
    { name: 'is deleted if a crash prevents any one write', run: () => survives(of, 'before', deleteObject) },
    { name: 'is deleted if a crash follows any one write', run: () => survives(of, 'after', deleteObject) },
    { name: 'becomes ready under concurrent calls', run: () => parallel(of, live) },
    { name: 'is deleted under concurrent calls', run: () => parallel(of, deleteObject) },
  ];
}

/** Runs one object to its final state with the given pass function. */
type Course = (life: FaultyLife, pass: () => Promise<unknown>) => Promise<string>;

const live: Course = async (life, pass) => {
  await life.settleReady(pass);
  return endStateOf(await life.find(), life.setup.varies);
};

const deleteObject: Course = async (life, pass) => {
  await life.settleReady(() => life.pass());
  await life.remove(life.ref);
  await life.settleGone(pass);
  return endStateOf(await life.find(), life.setup.varies);
};

async function survives(of: Faulty, when: 'before' | 'after', course: Course): Promise<void> {
  const expected = await undisturbed(of, course);
  for (let write = 1; write <= mostWrites; write += 1) {
    const life = await of.begin();
    const crashing = crashingAt(of.kubernetes(), write, when);
    const end = await course(life, () => passDespite(life, crashing.kubernetes));
    expectThat(end === expected, `after a crash ${when} write ${write} the end state ${expected}`, end);
    if (!crashing.hasCrashed()) {
      return;
    }
  }
  throw new Error(`Expected a life to end, but ${mostWrites} writes were not enough`);
}

async function undisturbed(of: Faulty, course: Course): Promise<string> {
  const life = await of.begin();
  return course(life, () => life.pass());
}

async function passDespite(life: Life, kubernetes: Kubernetes): Promise<unknown> {
  try {
    return await life.pass(kubernetes);
  } catch (thrown) {
    if (thrown instanceof CrashError) {
      return undefined;
    }
    throw thrown;
  }
}

async function parallel(of: Faulty, course: Course): Promise<void> {
  const expected = await undisturbed(of, course);
  const life = await of.begin();
  const end = await course(life, () => Promise.all([life.pass(), life.pass()]));
  expectThat(end === expected, `the end state ${expected}`, end);
}

const times = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z/g;

/**
 * Equal states have equal text. The text is "gone" if there is no object. Names, times and the order of fields are
 * omitted. For the dotted paths in `varies`, only the presence is compared.
 */
export function endStateOf(object: Unstructured | undefined, varies: readonly string[] = []): string {
  if (object === undefined) {
    return 'gone';
  }
  const { name, namespace, uid, finalizers = [], labels = {}, annotations = {} } = object.metadata;
  const conditions = storedConditions(valueOr(readList(object, 'status.conditions'), []))
    .map(({ type, status, reason, message }) => ({ type, status, reason, message }))
    .toSorted((a, b) => (a.type < b.type ? -1 : 1));
  const status = { ...Object(object.status), conditions };
  const state = { finalizers, labels, annotations, spec: object.spec, status };
  const text = toSortedJson(varies.reduce<unknown>((sofar, path) => without(sofar, path.split('.')), state));
  return [uid, name, namespace ?? name].reduce((sofar, own) => sofar.replaceAll(own, '·'), text).replaceAll(times, '·');
}

function without(value: unknown, [name = '', ...rest]: readonly string[]): unknown {
  const fields = toRecord(value);
  const field = fields[name];
  return field === undefined ? value : { ...fields, [name]: rest.length === 0 ? '·' : without(field, rest) };
}

class CrashError extends Error {
  override readonly name = 'CrashError';
}

interface Crashing {
  readonly kubernetes: Kubernetes;
  /** Returns whether the given write was reached. */
  hasCrashed(): boolean;
}

/**
 * A client that crashes at a write: before it is sent, or after it took effect and before the response arrived. `write` is
 * the number of the write in the order of sending: 1, 2, …. After the crash, the client works as
 * usual.
 */
function crashingAt(inner: Kubernetes, write: number, when: 'before' | 'after'): Crashing {
  let sent = 0;
  const around: Around = async (_target, send) => {
    sent += 1;
    if (sent !== write) {
      return send();
    }
    if (when === 'after') {
      await send();
    }
    throw new CrashError(`The process ended ${when} write ${write}`);
  };
  return { kubernetes: aroundWrites(inner, around), hasCrashed: () => sent >= write };
}
