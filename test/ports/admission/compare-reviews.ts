// Asks upstream's webhooks and the embedded API server about generated writes, and collects the differences.
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '@capi-serverless/apimachinery';
import { fc } from '../../support/property.ts';
import { askUpstream, type UpstreamReview } from '../../upstream-manager/webhooks.ts';
import { type AdmittedKind, admittedKinds, hookPath } from './admitted-kinds.ts';
import { patched, toComparable } from './comparable-answer.ts';
import { embeddedAnswer } from './embedded-answers.ts';
import { type GeneratedWrite, generatedKinds, readableObjects, writesOf } from './generated-objects.ts';
import { type ComparedReview, knownDifferenceOf } from './known-differences.ts';

const batchSize = 2_000;

/** With gates and without. Each kind is compared with each of them. */
export const gateSets = ['ClusterTopology=true,RuntimeSDK=true,MachineTaintPropagation=true', ''];

export const comparedKinds: readonly AdmittedKind[] = admittedKinds.filter(({ kind }) => generatedKinds.includes(kind));

interface ReviewComparison {
  /** The number of writes. */
  readonly writes: number;
  /** The number that upstream refused. */
  readonly refused: number;
  readonly known: Readonly<Record<string, number>>;
  readonly differences: readonly ComparedReview[];
}

interface CompareOptions {
  /** The path of upstream's webhooks. */
  readonly program: string;
  readonly gates: string;
  /** The number of writes. */
  readonly count: number;
  readonly seed: number;
}

export function compareReviews(of: AdmittedKind, options: CompareOptions): ReviewComparison {
  const { count, seed, gates, program } = options;
  const known = new Map<string, number>();
  const differences: ComparedReview[] = [];
  let refused = 0;
  for (let at = 0; at < count; at += batchSize) {
    const numRuns = Math.min(batchSize, count - at);
    const apiVersion = `${of.group}/v1beta2`;
    const writes = fc.sample(writesOf({ apiVersion, kind: of.kind }), { numRuns, seed: seed + at });
    for (const { write, theirs } of upstreamAnswers(of, { gates, program, writes })) {
      refused += theirs.allowed ? 0 : 1;
      const compared = { object: write.object, old: write.old, theirs, ours: embeddedAnswer(of, write, gates) };
      const difference = isDeepStrictEqual(compared.ours, theirs) ? 'none' : knownDifferenceOf(compared);
      if (difference === undefined) {
        differences.push(compared);
      } else if (difference !== 'none') {
        known.set(difference, (known.get(difference) ?? 0) + 1);
      }
    }
  }
  return { writes: count, refused, known: Object.fromEntries(known), differences };
}

interface ReviewBatch {
  readonly gates: string;
  readonly program: string;
  readonly writes: readonly GeneratedWrite[];
}

interface UpstreamAnswer {
  readonly write: GeneratedWrite;
  readonly theirs: ComparedReview['theirs'];
}

/** Upstream's answers to writes: the default hook, then the validation of its result. */
function upstreamAnswers(of: AdmittedKind, batch: ReviewBatch): readonly UpstreamAnswer[] {
  const { writes } = batch;
  const defaulted = of.hasDefaults ? ask('mutate', of, batch) : writes.map(() => ({ allowed: true }) as JsonObject);
  const objects = writes.map(({ object }, index) => patched(object, patchOf(defaulted[index])));
  const validated = ask('validate', of, {
    ...batch,
    writes: writes.map((write, index) => ({ ...write, object: objects[index] ?? write.object })),
  });
  return writes.map((write, index) => {
    const response = defaulted[index]?.['allowed'] === true ? validated[index] : defaulted[index];
    return { write, theirs: toComparable(response, objects[index] ?? write.object) };
  });
}

function ask(hook: 'mutate' | 'validate', of: AdmittedKind, { program, gates, writes }: ReviewBatch) {
  return askUpstream(
    program,
    gates,
    writes.map(write => toReview(of, hook, write)),
  );
}

function toReview(of: AdmittedKind, hook: 'mutate' | 'validate', { object, old }: GeneratedWrite): UpstreamReview {
  const { name, namespace } = Object(object['metadata']);
  const operation = old === undefined ? 'CREATE' : 'UPDATE';
  const request = { uid: 'u', name, namespace, operation, object, oldObject: old ?? null };
  const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request };
  return { path: hookPath(hook, of), review, objects: readableObjects };
}

function patchOf(response: JsonObject | undefined): string | undefined {
  const patch = response?.['patch'];
  return typeof patch === 'string' ? patch : undefined;
}
