// JSON patches: operations on a small document, and on a long list.

import { WorkMeter } from '@capi-serverless/apimachinery';
import { PatchError, perform, readOperation } from '@capi-serverless/apimachinery/json-patch';
import { PatchDraft } from '../../../functions/topology/plan/patches/draft.ts';
import { defaultPatchLimits, PatchBudget } from '../../../functions/topology/plan/patches/patch-limits.ts';
import { fc } from '../../support/property.ts';
import type { FuzzedParser } from '../parser.ts';

const segment = fc.constantFrom('a', 'b', 'list', '0', '1', '-', '-1', '01', '~0', '', '__proto__', 'length');
const path = fc.array(segment, { maxLength: 4 }).map(segments => segments.map(each => `/${each}`).join(''));
const operation = fc.record({
  op: fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test'),
  path: fc.oneof(path, fc.string({ maxLength: 8 })),
  from: path,
  value: fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constant(undefined)),
});
const document = fc.record({
  a: fc.jsonValue({ maxDepth: 3 }),
  list: fc.integer({ min: 0, max: 2000 }).map(length => Array<number>(length).fill(1)),
});

/** Every operation is charged, and the resulting document is JSON. */
function check(root: Readonly<Record<string, unknown>>, raw: readonly unknown[]): void {
  const meter = new WorkMeter({ units: 1e9, what: 'patches', remedy: 'none' });
  const budget = new PatchBudget(defaultPatchLimits, meter);
  const draft = new PatchDraft(root, budget);
  budget.make(JSON.stringify(raw).length);
  const before = JSON.stringify(root);
  try {
    for (const each of raw) {
      const read = readOperation(each);
      if (read.ok) {
        perform(draft, read.value);
      }
    }
  } catch (error) {
    if (!(error instanceof PatchError)) {
      throw error;
    }
  }
  const after = JSON.stringify(draft.share());
  if (JSON.stringify(root) !== before) {
    throw new Error('the original has changed');
  }
  if (meter.spent < after.length - before.length) {
    throw new Error(`${after.length - before.length} more characters for ${meter.spent} units`);
  }
}

export const parser: FuzzedParser = {
  name: 'json-patches',
  property: fc.property(document, fc.array(operation, { maxLength: 30 }), check),
};
