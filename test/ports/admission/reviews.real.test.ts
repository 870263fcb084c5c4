// The admission function, compared with the webhooks of upstream's manager on generated reviews. CAPI_SEED selects others.
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { type AdmittedKind, admittedKinds, hookPath } from '../../../shared/admission/hooks.ts';
import { describePart } from '../../support/describe-part.ts';
import { isFull } from '../../support/extent.ts';
import { fc, seed } from '../../support/property.ts';
import { askUpstream, findUpstreamWebhooks, type UpstreamReview } from '../../upstream-manager/webhooks.ts';
import { patched, toComparable } from './comparable-answer.ts';
import { type GeneratedWrite, generatedKinds, readableObjects, writesOf } from './generated-objects.ts';
import { type ComparedReview, knownDifferences } from './known-differences.ts';
import { askFunction } from './own-answers.ts';

/** For each kind and each set of feature gates. The full extent is a command of its own, not CI. */
const count = isFull ? 12_000 : 1_200;
const mostShown = 3;

const gateSets = ['ClusterTopology=true,RuntimeSDK=true,MachineTaintPropagation=true', ''];

const found = new Map(knownDifferences.map(({ what }) => [what, 0]));

interface Reviewed {
  readonly write: GeneratedWrite;
  readonly review: UpstreamReview;
  readonly object: JsonObject;
}

function toReview(of: AdmittedKind, hook: 'mutate' | 'validate', { object, old }: GeneratedWrite): UpstreamReview {
  const { name, namespace } = Object(object['metadata']);
  const operation = old === undefined ? 'CREATE' : 'UPDATE';
  const request = { uid: 'u', name, namespace, operation, object, oldObject: old ?? null };
  const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request };
  return { path: hookPath(hook, of), review, objects: readableObjects };
}

describePart("upstream's webhooks and the admission function", findUpstreamWebhooks(), {
  part: 'the webhooks of upstream',
  declare: ({ program }) => {
    async function compare(
      of: AdmittedKind,
      gates: string,
      { hook, writes }: { readonly hook: 'mutate' | 'validate'; readonly writes: readonly GeneratedWrite[] },
    ): Promise<readonly ComparedReview[]> {
      const reviewed: readonly Reviewed[] = writes.map(write => ({
        write,
        review: toReview(of, hook, write),
        object: write.object,
      }));
      const reviews = reviewed.map(({ review }) => review);
      const theirs = askUpstream(program, gates, reviews);
      const ours = await askFunction(gates, reviews);
      return reviewed.map(({ write, object }, index) => ({
        ...{ hook, object, old: write.old },
        theirs: toComparable(theirs[index], object),
        ours: toComparable(ours[index], object),
      }));
    }

    function expectSame(compared: readonly ComparedReview[]): void {
      const differing = compared.filter(each => !isDeepStrictEqual(each.ours, each.theirs) && !isKnown(each));
      expect(differing.slice(0, mostShown)).toEqual([]);
    }

    describe.each(gateSets)('with feature gates "%s"', gates => {
      it.each(generatedKinds)('give the same answers about a %s', async kind => {
        const of = admittedKinds.find(each => each.kind === kind);
        if (of === undefined) {
          throw new Error(`There is no hook of ${kind}`);
        }
        const writes = fc.sample(writesOf({ apiVersion: `${of.group}/v1beta2`, kind }), { numRuns: count, seed });
        const defaulted = of.hasDefaults ? await compare(of, gates, { hook: 'mutate', writes }) : [];
        expectSame(defaulted);
        // An API server validates what upstream's default hook allows.
        const sound = writes.filter(({ isBroken }) => !isBroken);
        const admitted = of.hasDefaults ? withDefaults(of, gates, sound) : [];
        const validated = await compare(of, gates, { hook: 'validate', writes: [...admitted, ...sound] });
        expectSame(validated);
        const refused = [...defaulted, ...validated].filter(({ theirs }) => !theirs.allowed).length;
        const all = defaulted.length + validated.length;
        console.log(`${kind}: ${all} reviews, ${refused} refused (CAPI_SEED=${seed})`);
        expect(refused).toBeGreaterThan(0);
        // Without its feature gate, every write of a kind is refused.
        expect(all - refused).toBeGreaterThan(gates === '' ? -1 : 0);
      });
    });

    function withDefaults(
      of: AdmittedKind,
      gates: string,
      writes: readonly GeneratedWrite[],
    ): readonly GeneratedWrite[] {
      const reviews = writes.map(write => toReview(of, 'mutate', write));
      return askUpstream(program, gates, reviews).flatMap((response, index) => {
        const write = writes[index];
        return write === undefined || response['allowed'] !== true
          ? []
          : [{ ...write, object: patched(write.object, readPatch(response)) }];
      });
    }

    it('differ in each of the known ways', () => {
      console.log([...found].map(([what, times]) => `${times} × ${what}`).join('\n'));
      expect([...found].filter(([, times]) => times === 0).map(([what]) => what)).toEqual([]);
    });
  },
});

function readPatch({ patch }: JsonObject): string | undefined {
  return typeof patch === 'string' ? patch : undefined;
}

function isKnown(compared: ComparedReview): boolean {
  const known = knownDifferences.find(difference => difference.matches(compared));
  if (known !== undefined) {
    found.set(known.what, (found.get(known.what) ?? 0) + 1);
  }
  return known !== undefined;
}
