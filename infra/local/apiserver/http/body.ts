// Request bodies: JSON or YAML to values that can be trusted to be plain, shallow and exact.
import { checkDepth } from '../core/depth.ts';
import { isObject } from '../core/json.ts';
import { badRequest, unsupportedMediaType } from '../core/status.ts';
import { parseMediaType } from './negotiate.ts';
import { yaml } from './yaml.ts';

export interface Decoded {
  /** Undefined for an empty body. */
  readonly value: unknown;
  /** Dotted paths of members that were given more than once; the last one counts. */
  readonly duplicates: readonly string[];
}

export type PatchType = 'json' | 'merge' | 'apply';

const objectTypes = 'application/json, application/yaml';
const patchTypes: Readonly<Record<string, PatchType>> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/apply-patch+yaml': 'apply',
};

/** More aliases than any hand-written file has: what they expand to must stay small. */
const maxAliases = 100;

/** A create, an update or the options of a delete. No content type means JSON. */
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

/** How the body of a PATCH is meant. */
export function toPatchType(contentType: string | undefined): PatchType {
  const { type } = parseMediaType(contentType ?? '');
  const patchType = Object.hasOwn(patchTypes, type) ? patchTypes[type] : undefined;
  if (patchType === undefined) {
    throw unsupportedMediaType(Object.keys(patchTypes).join(', '));
  }
  return patchType;
}

/** What is applied is YAML, which most clients write as JSON; nothing is an object without members. */
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

/** Throws BadRequest for what is not JSON, and for what cannot be held exactly. */
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

/** Counts the members of all objects. Throws BadRequest for numbers that were rounded and for a member `__proto__`. */
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
  if (!isObject(value)) {
    return 0;
  }
  const keys = Object.keys(value);
  if (keys.includes('__proto__')) {
    throw badRequest('a member may not be called __proto__');
  }
  return keys.reduce((sum, key) => sum + checkMembers(value[key]), keys.length);
}

/** Strings that are followed by a colon. */
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

/** Past the closing quote. */
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

/** JSON is YAML, and the YAML parser tells places. */
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
