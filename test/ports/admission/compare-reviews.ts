// Asks upstream's webhooks and ours about generated writes, and collects the differences.
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '@capi-serverless/apimachinery';
import { type AdmittedKind, admittedKinds, type HookKind, hookPath } from '../../../shared/admission/hooks.ts';
import { fc } from '../../support/property.ts';
import { askUpstream, type UpstreamReview } from '../../upstream-manager/webhooks.ts';
import { FoundDifferences } from '../found-differences.ts';
import { patched, toComparable } from './comparable-answer.ts';
import { embeddedAnswer } from './embedded-answers.ts';
import { type GeneratedWrite, generatedKinds, readableObjects, writesOf } from './generated-objects.ts';
import { type ComparedReview, knownDifferenceOf } from './known-differences.ts';
import { askFunction } from './own-answers.ts';

const batchSize = 2_000;

/** With gates and without. Each kind is compared with each of them. */
export const gateSets = ['ClusterTopology=true,RuntimeSDK=true,MachineTaintPropagation=true', ''];

export const comparedKinds: readonly AdmittedKind[] = admittedKinds.filter(({ kind }) => generatedKinds.includes(kind));

interface ReviewComparison {
  /** The number of reviews that upstream and the function answered. */
  readonly reviews: number;
  /** The number that upstream refused. */
  readonly refused: number;
  /** The number of writes that the embedded API server decided as well. */
  readonly embedded: number;
  readonly known: Readonly<Record<string, number>>;
  readonly differences: readonly ComparedReview[];
}

interface CompareOptions {
  /** The path of upstream's webhooks. */
  readonly program: string;
  readonly gates: string;
  /** The least number of reviews. */
  readonly count: number;
  readonly seed: number;
}

/** Compares at least `count` reviews. */
export async function compareReviews(of: AdmittedKind, options: CompareOptions): Promise<ReviewComparison> {
  const { count, seed, gates, program } = options;
  const findings = new ReviewFindings();
  for (let batch = 0; findings.reviews < count; batch += 1) {
    const numRuns = Math.min(batchSize, count - findings.reviews);
    const apiVersion = `${of.group}/v1beta2`;
    const writes = fc.sample(writesOf({ apiVersion, kind: of.kind }), { numRuns, seed: seed + batch });
    await findings.add({ of, gates, program, writes });
  }
  return findings.result();
}

interface ReviewBatch {
  readonly of: AdmittedKind;
  readonly gates: string;
  readonly program: string;
  readonly writes: readonly GeneratedWrite[];
}

/** Upstream's answer to a write: the default hook, then the validation of its result. */
interface WholeAnswer {
  readonly write: GeneratedWrite;
  readonly response: JsonObject;
  /** The object with its defaults. */
  readonly object: JsonObject;
}

class ReviewFindings {
  reviews = 0;
  #refused = 0;
  #embedded = 0;
  readonly #found = new FoundDifferences(knownDifferenceOf);

  /** An API server validates what the default hook returns. Objects that no hook has seen are validated as well. */
  async add(batch: ReviewBatch): Promise<void> {
    const { of, writes } = batch;
    const defaulted = of.hasDefaults ? await this.#ask('mutate', batch) : [];
    const refused = defaulted.filter(({ response }) => response['allowed'] !== true);
    const admitted = of.hasDefaults
      ? defaulted.filter(({ write, response }) => !write.isBroken && response['allowed'] === true)
      : writes.filter(({ isBroken }) => !isBroken).map(write => ({ write, object: write.object, response: {} }));
    const validated = await this.#ask('validate', {
      ...batch,
      writes: admitted.map(({ write, object }) => ({ ...write, object })),
    });
    const wholes = validated.map((each, index) => ({ ...each, write: admitted[index]?.write ?? each.write }));
    this.#compareEmbedded(batch, [...refused, ...wholes]);
    if (of.hasDefaults) {
      await this.#ask('validate', { ...batch, writes: writes.filter(({ isBroken }) => !isBroken) });
    }
  }

  async #ask(hook: HookKind, { of, gates, program, writes }: ReviewBatch): Promise<readonly WholeAnswer[]> {
    if (writes.length === 0) {
      return [];
    }
    const reviews = writes.map(write => toReview(of, hook, write));
    const theirs = askUpstream(program, gates, reviews);
    const ours = await askFunction(gates, reviews);
    return writes.map((write, index) => {
      const { object, old } = write;
      const response = theirs[index] ?? {};
      this.reviews += 1;
      this.#refused += response['allowed'] === true ? 0 : 1;
      const compared = { theirs: toComparable(response, object), ours: toComparable(ours[index], object) };
      this.#compare({ by: 'function', hook, object, old, ...compared });
      return { write, response, object: response['allowed'] === true ? patched(object, patchOf(response)) : object };
    });
  }

  /** Without broken objects, which its schemas refuse. */
  #compareEmbedded({ of, gates }: ReviewBatch, wholes: readonly WholeAnswer[]): void {
    for (const { write, response, object } of wholes.filter(each => !each.write.isBroken)) {
      this.#embedded += 1;
      const ours = embeddedAnswer(of, write, gates);
      const theirs = toComparable(response, object);
      this.#compare({ by: 'embedded', hook: 'validate', object, old: write.old, theirs, ours });
    }
  }

  #compare(compared: ComparedReview): void {
    if (!isDeepStrictEqual(compared.ours, compared.theirs)) {
      this.#found.add(compared);
    }
  }

  result(): ReviewComparison {
    return {
      reviews: this.reviews,
      refused: this.#refused,
      embedded: this.#embedded,
      ...this.#found.result(),
    };
  }
}

function toReview(of: AdmittedKind, hook: HookKind, { object, old }: GeneratedWrite): UpstreamReview {
  const { name, namespace } = Object(object['metadata']);
  const operation = old === undefined ? 'CREATE' : 'UPDATE';
  const request = { uid: 'u', name, namespace, operation, object, oldObject: old ?? null };
  const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request };
  return { path: hookPath(hook, of), review, objects: readableObjects };
}

function patchOf({ patch }: JsonObject): string | undefined {
  return typeof patch === 'string' ? patch : undefined;
}
