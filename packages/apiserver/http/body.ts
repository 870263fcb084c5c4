// Decodes JSON and YAML request bodies to plain JSON values of limited depth.

import { isJsonObject } from '@capi-serverless/apimachinery';
import { checkDepth } from '../core/depth.ts';
import { badRequest, unsupportedMediaType } from '../core/status.ts';
import { parseMediaType } from './negotiate.ts';
import { yaml } from './yaml.ts';

interface Decoded {
  /** The decoded value. Undefined for an empty body. */
  readonly value: unknown;
  /** The dotted paths of duplicate members. The last one is used. */
  readonly duplicates: readonly string[];
}

type PatchType = 'json' | 'merge' | 'apply' | 'strategic';

const objectTypes = 'application/json, application/yaml';
const patchTypes: Readonly<Record<string, PatchType>> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/apply-patch+yaml': 'apply',
};

/** The limit is higher than in manual manifests. It limits the size of the expanded document. */
const maxAliases = 100;

/** Decodes a create, an update or delete options. Without a content type, the body is JSON. */
export function decodeBody(text: string, contentType: string | undefined): Decoded {
  const { type } = parseMediaType(contentType ?? 'application/json');
  switch (type) {
    case '':
    case '*/*':
    case 'application/json':
      return decodeJson(text);
    case 'application/yaml':
      return decodeYaml(text);
    default:
      throw unsupportedMediaType(objectTypes);
  }
}

const strategicType = 'application/strategic-merge-patch+json';

/** The patch type of the content type of a PATCH. `strategic`: strategic merge patches are accepted. */
export function toPatchType(
  contentType: string | undefined,
  { strategic }: { readonly strategic: boolean } = { strategic: false },
): PatchType {
  const { type } = parseMediaType(contentType ?? '');
  if (strategic && type === strategicType) {
    return 'strategic';
  }
  const patchType = Object.hasOwn(patchTypes, type) ? patchTypes[type] : undefined;
  if (patchType === undefined) {
    throw unsupportedMediaType(Object.keys(patchTypes).join(', '));
  }
  return patchType;
}

/** The body of an apply is YAML, usually in the form of JSON. An empty body is an object without members. */
export function decodeApplied(text: string): Decoded {
  const { value = {}, duplicates } = isJson(text) ? decodeJson(text) : decodeYaml(text);
  return { value, duplicates };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Throws BadRequest for invalid JSON and for values that cannot be represented exactly. */
export function decodeJson(text: string): Decoded {
  if (text.trim() === '') {
    return { value: undefined, duplicates: [] };
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw badRequest(`the body of the request is not JSON: ${messageOf(error)}`);
  }
  checkDepth(value);
  const members = checkMembers(value);
  return { value, duplicates: countKeys(text) > members ? duplicatesIn(text) : [] };
}

function decodeYaml(text: string): Decoded {
  const document = yaml().parseDocument(text, { uniqueKeys: false, stringKeys: true, logLevel: 'silent' });
  const [error] = document.errors;
  if (error !== undefined) {
    throw badRequest(`the body of the request is not YAML: ${error.message.split('\n', 1)[0]}`);
  }
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: maxAliases });
  } catch (error_) {
    throw badRequest(`the body of the request is not YAML: ${messageOf(error_)}`);
  }
  checkDepth(value);
  checkMembers(value);
  return { value: value ?? undefined, duplicates: findDuplicates(document.contents, '') };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Counts the members of all objects. Throws BadRequest for rounded numbers and for a member `__proto__`. */
function checkMembers(value: unknown): number {
  if (
    typeof value === 'number' &&
    !Number.isSafeInteger(value) &&
    (Number.isInteger(value) || !Number.isFinite(value))
  ) {
    throw badRequest(`the number ${value} cannot be held exactly`);
  }
  if (Array.isArray(value)) {
    return value.reduce<number>((sum, item) => sum + checkMembers(item), 0);
  }
  if (!isJsonObject(value)) {
    return 0;
  }
  const keys = Object.keys(value);
  if (keys.includes('__proto__')) {
    throw badRequest('a member may not be called __proto__');
  }
  return keys.reduce((sum, key) => sum + checkMembers(value[key]), keys.length);
}

/** Counts the strings that are followed by a colon. */
function countKeys(json: string): number {
  let count = 0;
  for (let at = json.indexOf('"'); at >= 0; at = json.indexOf('"', at)) {
    at = endOfString(json, at + 1);
    while (isSpace(json.charCodeAt(at))) {
      at += 1;
    }
    count += json[at] === ':' ? 1 : 0;
  }
  return count;
}

/** Returns the index after the closing quote. */
function endOfString(json: string, from: number): number {
  let at = from;
  while (at < json.length && json[at] !== '"') {
    at += json[at] === '\\' ? 2 : 1;
  }
  return at + 1;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** JSON is valid YAML, and the YAML parser reports positions. */
function duplicatesIn(json: string): readonly string[] {
  return findDuplicates(yaml().parseDocument(json, { uniqueKeys: false, logLevel: 'silent' }).contents, '');
}

function findDuplicates(node: unknown, path: string): readonly string[] {
  const { isMap, isScalar, isSeq } = yaml();
  if (isSeq(node)) {
    return node.items.flatMap((item, index) => findDuplicates(item, `${path}[${index}]`));
  }
  if (!isMap(node)) {
    return [];
  }
  const seen = new Set<string>();
  return node.items.flatMap(({ key, value }) => {
    const name = String(isScalar(key) ? key.value : key);
    const below = path === '' ? name : `${path}.${name}`;
    const again = seen.has(name) ? [below] : [];
    seen.add(name);
    return [...again, ...findDuplicates(value, below)];
  });
}
