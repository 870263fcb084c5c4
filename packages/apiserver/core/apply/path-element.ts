// Path elements in the form of `fieldsV1`: `f:name`, `k:{"name":"p"}`, `v:"x"`, `i:0`.
// https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/object-meta/ (FieldsV1)
import { isJsonObject } from '@capi-serverless/apimachinery';

const special = /[<>&\u2028\u2029]/g;

/** Returns JSON in the form of Go's encoder. Characters that could end a script element are escaped. */
function toGoJson(value: unknown): string {
  const json = JSON.stringify(value);
  return json.search(special) < 0
    ? json
    : json.replace(special, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A field of a struct or a key of a map. */
export function fieldElement(name: string): string {
  return `f:${name}`;
}

/** An item of a list with keys. */
export function keyElement(keys: readonly (readonly [name: string, value: unknown])[]): string {
  const inOrder = keys.length === 1 ? keys : [...keys].sort(([left], [right]) => byText(left, right));
  return `k:{${inOrder.map(([name, value]) => `${toGoJson(name)}:${toGoJson(value)}`).join(',')}}`;
}

/** A member of a set. */
export function valueElement(value: unknown): string {
  return `v:${toGoJson(value)}`;
}

/** The order of members in the JSON that kube-apiserver stores. */
export function byText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/**
 * Returns the canonical form of the element, or `undefined` for an unknown element type. Throws SyntaxError if it is
 * malformed.
 */
export function canonicalElement(element: string): string | undefined {
  const [type, text] = [element.slice(0, 2), element.slice(2)];
  switch (type) {
    case 'f:':
      return element;
    case 'v:':
      return valueElement(JSON.parse(text));
    case 'k:':
      return canonicalKey(JSON.parse(text));
    case 'i:':
      return /^-?\d+$/.test(text) ? element : malformed(element);
    default:
      return element.charAt(1) === ':' ? undefined : malformed(element);
  }
}

function canonicalKey(keys: unknown): string {
  return isJsonObject(keys) ? keyElement(Object.entries(keys)) : malformed(JSON.stringify(keys));
}

function malformed(element: string): never {
  throw new SyntaxError(`${element} is not a path element`);
}

/** Returns the path in the notation of conflicts: `.spec.items[name="p"].v`. */
export function toPathText(elements: readonly string[]): string {
  return elements.map(toText).join('');
}

function toText(element: string): string {
  const text = element.slice(2);
  switch (element.slice(0, 2)) {
    case 'k:': {
      // True: only keyElement creates these elements, from an object.
      const keys = Object.entries(JSON.parse(text) as object);
      return `[${keys.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(',')}]`;
    }
    case 'v:':
      return `[=${JSON.stringify(JSON.parse(text))}]`;
    case 'i:':
      return `[${text}]`;
    default:
      return `.${text}`;
  }
}
