// The JSON patch of a default hook. Pure.
import {
  type Checked,
  invalid,
  isJsonObject,
  type JsonObject,
  type JsonPatchOperation,
  memberOf,
  sameJson,
  valid,
} from '@capi-serverless/apimachinery';

/**
 * Returns the operations that set the defaults, parents included. Defaults remove nothing. If a default would replace a
 * value of another type, the object cannot be read, and the result is invalid.
 */
export function toDefaultPatch(before: JsonObject, after: JsonObject): Checked<readonly JsonPatchOperation[]> {
  const operations: JsonPatchOperation[] = [];
  const problem = collect('', { before, after }, operations);
  return problem === undefined ? valid(operations) : invalid(problem);
}

interface Compared {
  readonly before: JsonObject;
  readonly after: JsonObject;
}

/** Returns the problem of the first field of another type. */
function collect(path: string, { before, after }: Compared, into: JsonPatchOperation[]): string | undefined {
  for (const [name, value] of Object.entries(after)) {
    const stored = memberOf(before, name) ?? undefined;
    const problem = sameJson(stored, value)
      ? undefined
      : collectMember(`${path}/${escapeName(name)}`, { before: stored, after: value }, into);
    if (problem !== undefined) {
      return problem;
    }
  }
  return undefined;
}

function collectMember(
  path: string,
  { before, after }: { readonly before: unknown; readonly after: unknown },
  into: JsonPatchOperation[],
): string | undefined {
  if (before === undefined) {
    into.push({ op: 'add', path, value: after });
    return undefined;
  }
  if (typeOf(before) !== typeOf(after)) {
    return `json: cannot unmarshal ${typeOf(before)} into the field at ${path}, which is of type ${typeOf(after)}`;
  }
  if (isJsonObject(before) && isJsonObject(after)) {
    return collect(path, { before, after }, into);
  }
  into.push({ op: 'replace', path, value: after });
  return undefined;
}

function typeOf(value: unknown): string {
  return Array.isArray(value) ? 'array' : typeof value;
}

/** https://www.rfc-editor.org/rfc/rfc6901#section-3 */
function escapeName(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
