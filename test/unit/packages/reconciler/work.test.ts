// The limits of work by the memory of a function, as in docs/decisions/0073-budget-by-memory.md.

import { type Reads, refused, WorkMeter } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { declarations } from '../../../../functions/declarations.ts';
import { defaultMemoryMiB, deployedFunctions } from '../../../../infra/function-plans.ts';
import {
  allowsPass,
  countingReads,
  countRead,
  growingWorkOfPass,
  workOfPass,
  workOfReconcile,
  workOfShare,
  workShareOf,
} from '../../../../packages/reconciler/work.ts';
import { batchSizeOf } from '../../../../shared/workqueue/queue-specs.ts';

/** Lambda: a function with this memory has one core. */
const memoryOfCoreMiB = 1769;
/** The dearest mixture of work that was measured. */
const nanosecondsPerUnit = 15;
const longestStallSeconds = 20;

const unitsOf = (memoryMiB: number | undefined) => {
  const share = workShareOf(memoryMiB);
  return { pass: workOfShare(workOfPass, share).units, reconcile: workOfShare(workOfReconcile, share).units };
};

describe('the limits of work', () => {
  it.each([
    { memoryMiB: undefined, pass: 250_000_000, reconcile: 300_000_000, reason: 'no function' },
    { memoryMiB: 1769, pass: 250_000_000, reconcile: 300_000_000, reason: 'more memory gives no more work' },
    { memoryMiB: 512, pass: 250_000_000, reconcile: 300_000_000, reason: 'the memory of all reconcilers' },
    { memoryMiB: 256, pass: 125_000_000, reconcile: 150_000_000, reason: 'half of it' },
    { memoryMiB: 128, pass: 62_500_000, reconcile: 75_000_000, reason: 'the least memory of a function' },
  ])('are $pass and $reconcile units with $memoryMiB MiB: $reason', ({ memoryMiB, pass, reconcile }) => {
    expect(unitsOf(memoryMiB)).toEqual({ pass, reconcile });
  });

  it('are whole numbers', () => {
    expect(workOfShare({ ...workOfPass, units: 10 }, 1 / 3).units).toBe(3);
  });

  it('take less than 20 s of the processor of each function that has them', () => {
    const memories = deployedFunctions.map(({ memoryMiB = defaultMemoryMiB }) => memoryMiB);
    expect(memories.length).toBeGreaterThan(declarations.length);
    for (const memoryMiB of [...memories, 128, 256]) {
      const cores = memoryMiB / memoryOfCoreMiB;
      const seconds = (unitsOf(memoryMiB).reconcile * nanosecondsPerUnit) / 1e9 / cores;
      expect(seconds).toBeLessThan(longestStallSeconds);
    }
    expect(declarations.filter(declaration => batchSizeOf(declaration) === 1).length).toBeGreaterThan(3);
  });
});

describe('the growing limit of a pass', () => {
  const object = (spec: unknown, { namespace = 'ns', uid = 'u' } = {}) => ({
    apiVersion: 'a/v1',
    kind: 'A',
    metadata: {
      name: 'a',
      uid,
      resourceVersion: '1',
      namespace,
      annotations: { a: 'x'.repeat(500) },
    },
    spec,
    status: { message: 'y'.repeat(500) },
  });
  const { base, perCharacter } = growingWorkOfPass.growth ?? { base: 0, perCharacter: 0 };
  const charactersOf = (meter: WorkMeter): number => (meter.left - base) / perCharacter;

  it('grows up to the limit of all passes', () => {
    const meter = new WorkMeter(growingWorkOfPass);
    countRead(meter, object('x'.repeat(1_000_000)));
    expect(meter.left).toBe(workOfPass.units);
  });

  it('gives a small object less than a second of one core', () => {
    const meter = new WorkMeter(growingWorkOfPass);
    countRead(meter, object('x'.repeat(1024)));
    expect((meter.left * nanosecondsPerUnit) / 1e9).toBeLessThan(1);
  });

  it('counts neither metadata nor status, which change with the error of the limit', () => {
    const meter = new WorkMeter(growingWorkOfPass);
    countRead(meter, object('abc'));
    expect(charactersOf(meter)).toBe('apiVersionkindspec'.length + 3 * 4 + 'a/v1Aabc'.length);
  });

  it('counts no object without a namespace', () => {
    const meter = new WorkMeter(growingWorkOfPass);
    const { metadata: _, ...rest } = object('abc');
    countRead(meter, { ...rest, metadata: { name: 'a', uid: 'u', resourceVersion: '1' } });
    expect(charactersOf(meter)).toBe(0);
  });

  it('counts what is read as whole objects, each once', async () => {
    const counted = new WorkMeter(growingWorkOfPass);
    const others = [object('abc', { uid: 'v' }), object('abc', { uid: 'w' })];
    const one = { ok: true, value: object('abc') } as const;
    const missing = refused({ reason: 'NotFound', message: 'missing' });
    const reads = countingReads(
      {
        get: async (_: unknown, parse?: unknown) => (parse === undefined ? one : missing),
        list: async (_: unknown, parse?: unknown) =>
          parse === undefined
            ? { ok: true, value: [one.value, ...others, one.value] }
            : { ok: true, value: ['parsed'] },
        metadata: async () => ({ ok: true, value: one.value.metadata }),
      } as unknown as Reads, // True: these are the reads, without their types.
      counted,
    );
    const ref = { apiVersion: 'a/v1', kind: 'A', name: 'a' };
    await reads.get(ref, () => 'x');
    await reads.list(ref, () => 'x');
    await reads.metadata(ref);
    expect(charactersOf(counted)).toBe(0);
    expect(await reads.get(ref)).toBe(one);
    const single = charactersOf(counted);
    expect(await reads.get(ref)).toBe(one);
    expect(charactersOf(counted)).toBe(single);
    await reads.list(ref);
    expect(single).toBeGreaterThan(3);
    expect(charactersOf(counted)).toBe(3 * single);
  });

  it('is smaller with less memory', () => {
    expect(workOfShare(growingWorkOfPass, 0.5)).toMatchObject({
      units: workOfPass.units / 2,
      growth: { base: base / 2, perCharacter: perCharacter / 2 },
    });
    expect(workOfShare({ ...growingWorkOfPass, growth: { base: 10, perCharacter: 1 } }, 1 / 3).growth?.base).toBe(3);
  });

  it.each([
    { spent: 50_000_000, characters: 200_000, allowed: true, reason: 'a fifth of a large pass' },
    { spent: 50_000_001, characters: 200_000, allowed: false, reason: 'more than that' },
    { spent: 8_000_000, characters: 0, allowed: true, reason: 'a fifth of a small pass' },
    { spent: 8_000_001, characters: 0, allowed: false, reason: 'more than that' },
  ])(
    'allows another pass after $spent units with $characters characters: $allowed, $reason',
    ({ spent, characters, allowed }) => {
      const passes = new WorkMeter(workOfReconcile);
      passes.charge(spent);
      const last = passes.part(growingWorkOfPass);
      last.read('x'.repeat(characters));
      expect(allowsPass(passes, last)).toBe(allowed);
    },
  );
});
