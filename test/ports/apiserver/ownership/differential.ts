// For all writes of three managers, two servers store the same object with the same owners, or refuse the write with
// the same error.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fc, seed } from '../../../support/property.ts';
import type { Api } from '../api-case.ts';
import { type ApiServerSubject, install, prepare } from '../subject.ts';
import { toSeen, versionOf } from './compare.ts';
import { richCrd } from './fixtures.ts';
import { type OwnershipWrites, plan } from './ownership-plan.ts';
import { begin, newTarget, type OwnershipTarget, perform, read } from './perform.ts';

interface DifferentialOptions {
  readonly file: string;
  /** The number of random plans. CAPI_PLANS sets another number. */
  readonly plans: number;
}

/** CAPI_SHRINK=1 searches for the smallest failing plan. This takes a while. */
const shrinks = process.env['CAPI_SHRINK'] === '1';
const timeoutMs = 3_600_000;

type Open = () => Promise<ApiServerSubject>;

/** Declares the comparison of two servers. It opens both once and closes them at the end. */
export function differential(name: string, open: readonly [Open, Open], { file, plans }: DifferentialOptions): void {
  describe(`ownership of fields: ${name}`, () => {
    let subjects: readonly ApiServerSubject[] = [];
    let apis: readonly Api[] = [];

    beforeAll(async () => {
      subjects = await Promise.all(open.map(each => each()));
      apis = await Promise.all(subjects.map(prepare));
      await Promise.all(apis.map(api => install(api, richCrd)));
    });

    afterAll(async () => {
      await Promise.all(subjects.map(subject => subject.close()));
    });

    it(`is the same after any writes (CAPI_SEED=${seed})`, { timeout: timeoutMs }, async () => {
      const steps = { count: 0 };
      const property = fc.asyncProperty(plan, async one => {
        steps.count += await runPlan(apis, one);
      });
      const numRuns = Number(process.env['CAPI_PLANS'] ?? plans);
      const found = await fc.check(property, { numRuns, endOnFailure: !shrinks });
      if (found.failed) {
        const again = `CAPI_SEED=${seed} CAPI_PATH=${found.counterexamplePath} npx vitest run --project ports ${file}`;
        throw new Error(`Repeat with: ${again}\n${fc.defaultReportMessage(found)}`, { cause: found.errorInstance });
      }
      console.log(`ownership of fields: CAPI_SEED=${seed}, ${numRuns} plans, ${steps.count} writes`);
    });
  });
}

/** Returns the number of writes. */
async function runPlan(apis: readonly Api[], one: OwnershipWrites): Promise<number> {
  const targets = apis.map(newTarget);
  let versions: readonly (string | undefined)[] = [];
  const compare = async (what: string, write: (target: OwnershipTarget) => ReturnType<typeof read>): Promise<void> => {
    const answers = await Promise.all(targets.map(write));
    const [ours, theirs] = answers.map(toSeen);
    expect(ours, what).toEqual(theirs);
    const stored = await Promise.all(targets.map(read));
    const [oursStored, theirsStored] = stored.map(toSeen);
    expect(oursStored, `${what}: what is stored then`).toEqual(theirsStored);
    const next = stored.map(versionOf);
    const [weWrote = false, theyWrote = false] = next.map((version, index) => version !== versions[index]);
    // Real servers also make writes that clients cannot see: they drop empty maps, and convert objects to another version.
    expect(weWrote && !theyWrote, `${what}: the embedded server alone writes`).toBe(false);
    versions = next;
  };
  await compare(`it is ${one.born} as ${JSON.stringify(one.content)}`, target => begin(target, one));
  for (const [index, step] of one.steps.entries()) {
    await compare(`step ${index}: ${JSON.stringify(step)}`, target => perform(target, step));
  }
  return one.steps.length + 1;
}
