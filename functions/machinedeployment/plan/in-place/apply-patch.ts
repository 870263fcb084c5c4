// Applies a patch of an extension to one object of the request. Only `spec.template.spec` of the result counts.
import {
  type Checked,
  invalid,
  isJsonObject,
  type JsonObject,
  mapChecked,
  prefixed,
  valid,
  valueAt,
  WorkLimitError,
  WorkMeter,
} from '@capi-serverless/apimachinery';
import {
  isContainer,
  JsonDocument,
  mergeInto,
  type Operation,
  PatchError,
  perform,
  readOperations,
} from '@capi-serverless/apimachinery/json-patch';
import { deepestJson, readJson } from '../../../../shared/runtime-hooks/rules/read-json.ts';

export interface ExtensionPatch {
  readonly patchType: string;
  readonly patch: string;
}

/** The maximum number of operations in one JSON patch. */
export const mostOperations = 1000;

/** The maximum JSON characters of the values that one JSON patch copies. Without a limit, each copy doubles the object. */
const copyBound = {
  units: 3 * 1024 * 1024,
  what: 'the copies of one JSON patch',
  remedy: 'send the changed fields only',
};

class BoundedDocument extends JsonDocument {
  readonly #meter = new WorkMeter(copyBound);

  override copyOf(value: unknown): unknown {
    refuseTooDeep(value);
    this.#meter.charge(String(JSON.stringify(value)).length);
    return super.copyOf(value);
  }
}

/** Later steps read the value recursively. */
function refuseTooDeep(root: unknown): void {
  const open = [{ value: root, level: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (isContainer(next.value)) {
      const level = next.level + 1;
      if (level > deepestJson) {
        throw new PatchError(`limit exceeded: nested deeper than ${deepestJson} levels`);
      }
      for (const value of Object.values(next.value)) {
        open.push({ value, level });
      }
    }
  }
}

/** Returns `spec.template.spec` after the patch. If the patch removes it, it does not change. */
export function patchTemplateSpec(object: JsonObject, { patchType, patch }: ExtensionPatch): Checked<unknown> {
  const before = valueAt(object, templateSpec);
  const patched = prefixed(applyPatch(object, patchType, patch), 'failed to apply patch');
  return mapChecked(patched, after => valueAt(after, templateSpec) ?? before);
}

const templateSpec = 'spec.template.spec';

function applyPatch(object: JsonObject, patchType: string, patch: string): Checked<JsonObject> {
  switch (patchType) {
    case '':
      return patch === '' ? valid(object) : invalid('patchType is not set');
    case 'JSONPatch':
      return patch === '[]' ? valid(object) : applyJsonPatch(object, patch);
    case 'JSONMergePatch':
      return patch === ''
        ? valid(object)
        : prefixed(applyMerge(object, patch), 'error applying json merge patch (RFC7386)');
    default:
      return invalid(`unknown patchType ${patchType.slice(0, 64)}`);
  }
}

function applyJsonPatch(object: JsonObject, patch: string): Checked<JsonObject> {
  // The parser of the response limits depth and size of texts inside it.
  const bounded = readJson(patch);
  const operations = bounded.ok ? readOperations(patch) : bounded;
  if (!operations.ok) {
    return prefixed(operations, 'error decoding json patch (RFC6902)');
  }
  return prefixed(performAll(object, operations.value), 'error applying json patch (RFC6902)');
}

function performAll(object: JsonObject, operations: readonly Operation[]): Checked<JsonObject> {
  if (operations.length > mostOperations) {
    return invalid(`limit exceeded: more than ${mostOperations} operations in one patch`);
  }
  const document = new BoundedDocument(object);
  try {
    for (const operation of operations) {
      perform(document, operation);
    }
    refuseTooDeep(document.share());
  } catch (error) {
    if (error instanceof PatchError || error instanceof WorkLimitError) {
      return invalid(error.message);
    }
    throw error;
  }
  return valid(document.share());
}

function applyMerge(object: JsonObject, patch: string): Checked<JsonObject> {
  const parsed = readJson(patch);
  if (!parsed.ok) {
    return parsed;
  }
  if (!isJsonObject(parsed.value)) {
    return invalid('a merge patch must be an object');
  }
  const document = new JsonDocument(object);
  mergeInto(document, parsed.value);
  return valid(document.share());
}
