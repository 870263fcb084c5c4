// If an apply is predicted to change nothing, the server changes nothing, regardless of earlier writes by other
// managers.

import type { Intent, JsonObject, Unstructured } from '@capi-serverless/apimachinery';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toIntent } from '../../../../functions/topology/plan/intent/filter.ts';
import { appliesWithoutChange } from '../../../../shared/server-side-apply/certain.ts';
import { topologyManager } from '../../../../shared/topology/model/keys.ts';
import { fc, seed } from '../../../support/property.ts';
import type { RawAnswer } from '../../../support/raw-http.ts';
import type { Api } from '../api-case.ts';
import { applyAt } from '../applied.ts';
import { type ApiServerSubject, install, prepare } from '../subject.ts';
import { richCrd } from './fixtures.ts';
import { type Content, type OwnershipStep, type OwnershipWrites, plan } from './ownership-plan.ts';
import { begin, newTarget, type OwnershipTarget, pathOf, perform, read } from './perform.ts';

const timeoutMs = 3_600_000;

interface Counts {
  asked: number;
  certain: number;
  /** The intent that is applied twice. */
  repeated: number;
  repeatedCertain: number;
}

/** Declares the check against one server. It opens the server once and closes it at the end. */
export function certainty(name: string, open: () => Promise<ApiServerSubject>, plans: number): void {
  describe(`applies that change nothing: ${name}`, () => {
    let subject: ApiServerSubject | undefined;
    let api: Api;

    beforeAll(async () => {
      subject = await open();
      api = await prepare(subject);
      await install(api, richCrd);
    });

    afterAll(() => subject?.close());

    it(`are known beforehand (CAPI_SEED=${seed})`, { timeout: timeoutMs }, async () => {
      const counts: Counts = { asked: 0, certain: 0, repeated: 0, repeatedCertain: 0 };
      const property = fc.asyncProperty(plan, one => runPlan(newTarget(api), one, counts));
      const numRuns = Number(process.env['CAPI_PLANS'] ?? plans);
      await fc.assert(property, { numRuns, endOnFailure: true });
      console.log(`applies that change nothing: CAPI_SEED=${seed}, ${numRuns} plans, ${JSON.stringify(counts)}`);
      expect(counts.certain).toBeGreaterThan(numRuns);
      expect(counts.repeatedCertain).toBeGreaterThan(counts.repeated / 5);
    });
  });
}

/** The third manager of plans is the topology controller. */
function asTopology<T extends OwnershipStep>(step: T): T {
  return step.manager === 'm3' ? { ...step, manager: topologyManager } : step;
}

async function runPlan(target: OwnershipTarget, one: OwnershipWrites, counts: Counts): Promise<void> {
  await begin(target, one);
  await applyAs(target, toContentIntent(target, one.content));
  const intents = [toContentIntent(target, one.content)];
  for (const step of one.steps.map(asTopology)) {
    await perform(target, step);
    if ('content' in step) {
      intents.push(toContentIntent(target, step.content));
    }
    const live = await liveOf(target);
    if (live === undefined) {
      continue;
    }
    const last = intents.at(-1) ?? toLiveIntent(live);
    for (const intent of [...intents.slice(-3), ...variants(last, live), toLiveIntent(live)]) {
      await ask(target, { intent, live, counts });
    }
    if ('content' in step && (await applyAs(target, last)).status === 200) {
      const applied = await liveOf(target);
      counts.repeated += 1;
      counts.repeatedCertain += (await ask(target, { intent: last, live: applied, counts })) ? 1 : 0;
    }
  }
}

interface Asked {
  readonly intent: Intent;
  readonly live: Unstructured | undefined;
  readonly counts: Counts;
}

/** Returns whether no change was predicted. Fails if the prediction was wrong. */
async function ask(target: OwnershipTarget, { intent, live, counts }: Asked): Promise<boolean> {
  counts.asked += 1;
  if (live === undefined || appliesWithoutChange(intent, live, 'capi-topology') === 'unknown') {
    return false;
  }
  counts.certain += 1;
  const uid = live.metadata.uid;
  const answer = await applyAs(target, { ...intent, metadata: { ...intent.metadata, uid } });
  expect(toShown(answer), JSON.stringify(intent)).toEqual({ status: 200, shown: withoutVersion(live) });
  return true;
}

function toShown({ status, body }: RawAnswer) {
  return { status, shown: withoutVersion(body as Unstructured) }; // true: it is an object, or a Status without object fields
}

/**
 * Returns everything except the version, including generation and owners. A read can omit stored fields, such as empty
 * labels in an embedded object. The next write stores the object as it was read.
 */
function withoutVersion({ metadata: { resourceVersion: _, ...metadata }, ...rest }: Unstructured): object {
  return { ...rest, metadata };
}

/** Similar intents with a change: a missing field, a field that another manager or a default set, a different value. */
function variants(intent: Intent, live: Unstructured): readonly Intent[] {
  const spec = (intent['spec'] ?? {}) as JsonObject; // true: plans create objects
  const stored = (live.spec ?? {}) as JsonObject; // true: the schema requires an object
  const withSpec = (changed: JsonObject): Intent => ({ ...intent, spec: changed });
  return [
    ...Object.keys(spec).map(name =>
      withSpec(Object.fromEntries(Object.entries(spec).filter(([key]) => key !== name))),
    ),
    ...Object.entries(stored).map(([name, value]) => withSpec({ ...spec, [name]: value })),
    ...Object.keys(stored).map(name => withSpec({ ...spec, [name]: {} })),
    ...Object.keys(spec).map(name => withSpec({ ...spec, [name]: [] })),
    ...Object.keys(spec).map(name => withSpec({ ...spec, [name]: reversed(spec[name]) })),
  ];
}

function reversed(value: unknown): unknown {
  return Array.isArray(value) ? value.toReversed() : value;
}

function toContentIntent({ name, api }: OwnershipTarget, { metadata, spec }: Content): Intent {
  const { namespace } = api;
  const { apiVersion, kind } = richKind;
  return toIntent({ apiVersion, kind, metadata: { ...metadata, name, namespace }, spec });
}

/** Returns all fields of all managers. */
function toLiveIntent({ apiVersion, kind, metadata, spec }: Unstructured): Intent {
  return toIntent({ apiVersion, kind, metadata: { ...metadata }, spec });
}

const richKind = {
  apiVersion: `${richCrd.spec.group}/v1`,
  kind: richCrd.spec.names.kind,
} as const;

function applyAs(target: OwnershipTarget, intent: Intent): Promise<RawAnswer> {
  return applyAt(target.api, pathOf(target), intent, { fieldManager: topologyManager, force: 'true' });
}

async function liveOf(target: OwnershipTarget): Promise<Unstructured | undefined> {
  const { status, body } = await read(target);
  return status === 200 ? (body as Unstructured) : undefined; // True: a GET with status 200 returns an object.
}
