// Applies the results of patches. Only a template's spec, labels and annotations can change. Other changes are dropped.
import { isJsonObject, type JsonObject, quote, toDisplayName, toRecord } from '@capi-serverless/apimachinery';
import {
  mergeInto,
  type Operation,
  type Pointer,
  parseJson,
  perform,
  readOperations,
} from '@capi-serverless/apimachinery/json-patch';
import type { GeneratePatchesResponse } from '../../../../shared/runtime-hooks/rules/response-schemas.ts';
import { PatchDraft } from './draft.ts';
import type { Generated } from './inline.ts';
import type { PatchItem } from './items.ts';
import { measure } from './measure.ts';
import { attempt, countOperations, type PatchBudget } from './patch-limits.ts';

const unitsPerComparedCharacter = 4;

const jsonPatchProblem = 'failed to apply patch: error applying json patch (RFC6902)';
const mergePatchProblem = 'failed to apply patch: error applying json merge patch (RFC7386)';

/** Returns the error, or undefined. After an error the items must not be used. */
export function applyGenerated(generated: readonly Generated[], budget: PatchBudget): string | undefined {
  for (const { item, operations, definition } of generated) {
    const problem = performAll(item, operations, { budget, nameOf: at => `${definition}.jsonPatches[${at}]` });
    if (problem !== undefined) {
      return problem;
    }
  }
  return undefined;
}

type ResponseItem = GeneratePatchesResponse['items'][number];

/** Like `applyGenerated`, for the items of an extension's response. */
export function applyResponse(
  response: readonly ResponseItem[],
  items: readonly PatchItem[],
  budget: PatchBudget,
): string | undefined {
  const byUid = new Map(items.map(item => [item.uid, item]));
  for (const [index, each] of response.entries()) {
    const item = byUid.get(each.uid);
    const problem =
      item === undefined
        ? 'unable to find corresponding request item for patch'
        : applyOne(each, item, { budget, place: `items[${index}]` });
    if (problem !== undefined) {
      return problem;
    }
  }
  return undefined;
}

interface Applying {
  readonly budget: PatchBudget;
  readonly place: string;
}

function applyOne({ patchType, patch }: ResponseItem, item: PatchItem, applying: Applying): string | undefined {
  switch (patchType) {
    case 'JSONPatch':
      return applyJsonPatch(patch, item, applying);
    case 'JSONMergePatch':
      return applyMergePatch(patch, item, applying);
    default:
      return `failed to apply patch to template: unknown patch type ${quote(patchType)} (${whereIs(item, applying.place)})`;
  }
}

function applyJsonPatch(document: string, item: PatchItem, { budget, place }: Applying): string | undefined {
  const operations = readOperations(document);
  if (!operations.ok) {
    const problem = 'failed to apply patch: error decoding json patch (RFC6902)';
    return `${problem}: ${operations.error} (${whereIs(item, place)})`;
  }
  const counted = attempt(() => {
    budget.make(document.length);
    // The value of each `test` is compared with a part of the template that is not larger than the value.
    budget.meter.charge(document.length * unitsPerComparedCharacter);
    countOperations(item, operations.value.length, budget);
  });
  if (!counted.ok) {
    return `${jsonPatchProblem}: ${counted.error} (${whereIs(item, place)})`;
  }
  return performAll(item, operations.value, { budget, nameOf: at => `${place}, operation ${at}` });
}

function performAll(
  item: PatchItem,
  operations: readonly Operation[],
  { budget, nameOf }: { readonly budget: PatchBudget; readonly nameOf: (index: number) => string },
): string | undefined {
  let at = 0;
  const written = attempt(() =>
    change(item, budget, operations.every(isWithinSpec), draft => {
      for (const [index, operation] of operations.entries()) {
        at = index;
        perform(draft, operation);
      }
    }),
  );
  return written.ok ? undefined : `${jsonPatchProblem}: ${written.error} (${whereIs(item, nameOf(at))})`;
}

function isWithinSpec(operation: Operation): boolean {
  return isBelowSpec(operation.path) && (operation.op !== 'move' || isBelowSpec(operation.from));
}

function isBelowSpec({ segments = [] }: Pointer): boolean {
  return segments.length > 1 && segments[0] === 'spec';
}

function applyMergePatch(document: string, item: PatchItem, { budget, place }: Applying): string | undefined {
  if (document === '') {
    return undefined;
  }
  const parsed = parseJson(document);
  const patch = parsed.ok && isJsonObject(parsed.value) ? parsed.value : undefined;
  if (patch === undefined) {
    const problem = parsed.ok ? 'a merge patch must be an object' : parsed.error;
    return `${mergePatchProblem}: ${problem} (${whereIs(item, place)})`;
  }
  const merged = attempt(() => {
    budget.make(document.length);
    countOperations(item, 1, budget);
    measure(patch, budget); // The patch must not be nested deeper than the merge supports.
    const isPlain = Object.entries(patch).every(([key, value]) => key === 'spec' && value !== null);
    change(item, budget, isPlain, draft => mergeInto(draft, patch));
  });
  return merged.ok ? undefined : `${mergePatchProblem}: ${merged.error} (${whereIs(item, place)})`;
}

/** `isPlain`: only copied fields can change, and none of them can be removed completely. */
function change(item: PatchItem, budget: PatchBudget, isPlain: boolean, write: (draft: PatchDraft) => void): void {
  if (isPlain) {
    write(item.draft);
    return;
  }
  const before = item.draft.share();
  const draft = new PatchDraft(before, budget);
  write(draft);
  item.draft = new PatchDraft(takeOver(before, draft.share()), budget);
}

/** A removed field keeps its old value. */
function takeOver(before: JsonObject, after: JsonObject): JsonObject {
  const metadata = {
    ...toRecord(before['metadata']),
    ...present(toRecord(after['metadata']), ['labels', 'annotations']),
  };
  return { ...before, ...present(after, ['spec']), metadata };
}

function present(object: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(keys.filter(key => Object.hasOwn(object, key)).map(key => [key, object[key]]));
}

function whereIs({ kind, holder }: PatchItem, place: string): string {
  return `${place}, ${kind} of ${holder.kind} ${toDisplayName(holder)}`;
}
