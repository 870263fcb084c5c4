// Patches of ClusterClasses and of extensions that would block a function.

import { WorkMeter } from '@capi-serverless/apimachinery';
import { type Operation, perform, toPointer } from '@capi-serverless/apimachinery/json-patch';
import { workOfPass } from '@capi-serverless/reconciler';
import { describe, expect, it } from 'vitest';
import { PatchDraft } from '../../../functions/topology/plan/patches/draft.ts';
import { defaultPatchLimits, PatchBudget } from '../../../functions/topology/plan/patches/patch-limits.ts';
import { ValueTemplates } from '../../../functions/topology/plan/patches/value-templates.ts';
import type { Attack, AttackResult } from './attack.ts';

function patch(root: Readonly<Record<string, unknown>>, operations: Iterable<Operation>): AttackResult {
  const meter = new WorkMeter(workOfPass);
  const draft = new PatchDraft(root, new PatchBudget(defaultPatchLimits, meter));
  return ending(meter, () => {
    for (const operation of operations) {
      perform(draft, operation);
    }
  });
}

function render(templates: Iterable<string>, variables: Readonly<Record<string, unknown>> = {}): AttackResult {
  const meter = new WorkMeter(workOfPass);
  const values = new ValueTemplates(new PatchBudget(defaultPatchLimits, meter));
  return ending(meter, () => {
    for (const template of templates) {
      const value = values.evaluate(template, variables);
      if (!value.ok) {
        throw new Error(value.error);
      }
    }
  });
}

function ending(meter: WorkMeter, work: () => void): AttackResult {
  try {
    work();
  } catch (error) {
    return { error: String(error), work: meter.spent };
  }
  return { error: undefined, work: meter.spent };
}

function* often<T>(times: number, make: (index: number) => T): Iterable<T> {
  for (let index = 0; index < times; index += 1) {
    yield make(index);
  }
}

const add = (path: string, value: unknown): Operation => ({ op: 'add', path: toPointer(path), value });
const list = { l: Array<number>(200_000).fill(1) };
const says = `limit exceeded: ${workOfPass.what} take more than ${workOfPass.units} units of work: ${workOfPass.remedy}`;

describe('patches', () => {
  it.each<Attack>([
    {
      reason: 'insert at the start of a long list',
      run: () =>
        patch(
          list,
          often(100_000, () => add('/l/0', 1)),
        ),
      says,
    },
    {
      reason: 'remove the first item of a long list',
      run: () =>
        patch(
          list,
          often(100_000, (): Operation => ({ op: 'remove', path: toPointer('/l/0') })),
        ),
      says,
    },
    {
      reason: 'render many templates that each stay below the limit of one',
      run: () => render(often(1000, index => `{{ range 100000 }}{{ end }}${index}`)),
      says,
    },
    {
      reason: 'parse many long templates',
      run: () => render(often(1000, index => `{{/*${'x'.repeat(200_000)}*/}}${index}`)),
      says,
    },
    {
      reason: 'read a long variable for each template',
      run: () =>
        render(
          often(1000, index => `{{ if .v }}${index}{{ end }}`),
          { v: 'x'.repeat(1_000_000) },
        ),
      says,
    },
  ])('that $reason end with the limit of the object', ({ run, says: expected }) => {
    const { error, work = 0 } = run();
    expect(error).toContain(expected);
    // Work is charged before it is done, so only the last charge exceeds the limit.
    expect(work).toBeGreaterThan(workOfPass.units);
  });

  it('of a very large class need less than a tenth of the limit', () => {
    const { error, work = 0 } = render(
      often(500, index => `name: {{ .v }}-${index}\nlist:\n{{ range $i, $_ := until 10 }}- item-{{ $i }}\n{{ end }}`),
      { v: 'x' },
    );
    expect(error).toBeUndefined();
    expect(work).toBeLessThan(workOfPass.units / 10);
  });
});
