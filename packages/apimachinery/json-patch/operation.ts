// The operations of a JSON patch (RFC 6902).
import { type Checked, invalid, valid } from '../checked.ts';
import { quote } from '../field-error.ts';
import { isJsonObject } from '../json.ts';

/** A JSON pointer (RFC 6901). */
export interface Pointer {
  readonly text: string;
  /** Undefined for an invalid pointer, which matches nothing. */
  readonly segments: readonly string[] | undefined;
}

export type Operation =
  | { readonly op: 'add' | 'replace'; readonly path: Pointer; readonly value: unknown }
  | { readonly op: 'test'; readonly path: Pointer; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: Pointer }
  | { readonly op: 'move' | 'copy'; readonly from: Pointer; readonly path: Pointer };

export function toPointer(text: string): Pointer {
  if (text !== '' && !text.startsWith('/')) {
    return { text, segments: undefined };
  }
  const segments = text
    .split('/')
    .slice(1)
    .map(segment => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
  return { text, segments };
}

/** The error contains the problem of the operation. */
export function readOperation(raw: unknown): Checked<Operation> {
  if (!isJsonObject(raw)) {
    return invalid('not an object');
  }
  const { op, path, from, value } = raw;
  if (typeof path !== 'string') {
    return invalid("failed to decode 'path': missing value");
  }
  const at = toPointer(path);
  switch (op) {
    case 'add':
    case 'replace':
      return value === undefined ? invalid("failed to decode 'value': missing value") : valid({ op, path: at, value });
    case 'test':
      return valid({ op, path: at, value: value ?? null });
    case 'remove':
      return valid({ op, path: at });
    case 'move':
    case 'copy':
      return typeof from === 'string'
        ? valid({ op, from: toPointer(from), path: at })
        : invalid("failed to decode 'from': missing value");
    default:
      return invalid(`unsupported operation ${typeof op === 'string' ? quote(op.slice(0, 64)) : ''}`.trimEnd());
  }
}
