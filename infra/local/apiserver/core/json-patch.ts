// JSON patch (RFC 6902): all operations or none.
import { isObject, sameJson, toJson } from './json.ts';

/** The patch cannot be applied to this target: answered as Invalid. */
export class JsonPatchError extends Error {
  override readonly name = 'JsonPatchError';
}

/** What real servers allow all copies of one patch to add up to. */
const maxCopiedBytes = 3 * 1024 * 1024;

type Container = Record<string, unknown> | unknown[];

/** The target after all operations, as a copy. Throws JsonPatchError that names the operation and what is wrong. */
export function applyJsonPatch(target: unknown, operations: readonly unknown[]): unknown {
  const copied = { bytes: 0 };
  return operations.reduce<unknown>((document, operation, index) => {
    try {
      return perform(document, operation, copied);
    } catch (error) {
      if (error instanceof JsonPatchError) {
        throw new JsonPatchError(`operation ${index}: ${error.message}`);
      }
      throw error;
    }
  }, toJson(target));
}

function perform(document: unknown, operation: unknown, copied: { bytes: number }): unknown {
  if (!isObject(operation)) {
    throw new JsonPatchError('is not an object');
  }
  const path = pointerIn(operation, 'path');
  switch (operation['op']) {
    case 'add':
      return add(document, path, valueIn(operation));
    case 'replace':
      valueAt(document, path);
      return add(remove(document, path), path, valueIn(operation));
    case 'remove':
      valueAt(document, path);
      return remove(document, path);
    case 'test':
      if (!sameJson(valueAt(document, path), valueIn(operation))) {
        throw new JsonPatchError(`testing value ${operation['path']} failed`);
      }
      return document;
    case 'copy': {
      const text = JSON.stringify(valueAt(document, pointerIn(operation, 'from')));
      copied.bytes += text.length;
      if (copied.bytes > maxCopiedBytes) {
        throw new JsonPatchError(`copies more than ${maxCopiedBytes} bytes`);
      }
      return add(document, path, JSON.parse(text));
    }
    case 'move': {
      const from = pointerIn(operation, 'from');
      const moved = valueAt(document, from);
      return add(remove(document, from), path, moved);
    }
    default:
      throw new JsonPatchError(`unknown operation "${String(operation['op'])}"`);
  }
}

function pointerIn(operation: Readonly<Record<string, unknown>>, member: 'path' | 'from'): readonly string[] {
  const pointer = operation[member];
  if (typeof pointer !== 'string' || (pointer !== '' && !pointer.startsWith('/'))) {
    throw new JsonPatchError(`"${member}" is not a JSON pointer`);
  }
  const parts = pointer
    .split('/')
    .slice(1)
    .map(part => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (parts.includes('__proto__')) {
    throw new JsonPatchError(`"${member}" names __proto__`);
  }
  return parts;
}

function valueIn(operation: Readonly<Record<string, unknown>>): unknown {
  if (!Object.hasOwn(operation, 'value')) {
    throw new JsonPatchError('has no value');
  }
  return toJson(operation['value']);
}

function asContainer(value: unknown, path: readonly string[]): Container {
  if (Array.isArray(value) || isObject(value)) {
    // True: only objects and arrays get here, and the document is the copy that applyJsonPatch made.
    return value as Container;
  }
  throw new JsonPatchError(`there is nothing below ${toPointer(path)}`);
}

function toPointer(path: readonly string[]): string {
  return `/${path.join('/')}`;
}

function indexIn(list: readonly unknown[], part: string, path: readonly string[]): number {
  const index = /^(0|[1-9][0-9]*)$/.test(part) ? Number(part) : Number.NaN;
  if (Number.isNaN(index) || index > list.length) {
    throw new JsonPatchError(`no such index: ${toPointer(path)}`);
  }
  return index;
}

function valueAt(document: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((parent, part, depth) => {
    const container = asContainer(parent, path.slice(0, depth));
    const key = Array.isArray(container) ? String(indexIn(container, part, path)) : part;
    if (!Object.hasOwn(container, key)) {
      throw new JsonPatchError(`no such member: ${toPointer(path)}`);
    }
    return Array.isArray(container) ? container[Number(key)] : container[key];
  }, document);
}

function add(document: unknown, path: readonly string[], value: unknown): unknown {
  const last = path.at(-1);
  if (last === undefined) {
    return value;
  }
  const parent = asContainer(valueAt(document, path.slice(0, -1)), path.slice(0, -1));
  if (Array.isArray(parent)) {
    parent.splice(last === '-' ? parent.length : indexIn(parent, last, path), 0, value);
  } else {
    parent[last] = value;
  }
  return document;
}

/** The member must exist. */
function remove(document: unknown, path: readonly string[]): unknown {
  const last = path.at(-1);
  if (last === undefined) {
    return null;
  }
  const parent = asContainer(valueAt(document, path.slice(0, -1)), path.slice(0, -1));
  if (Array.isArray(parent)) {
    parent.splice(indexIn(parent, last, path), 1);
  } else {
    delete parent[last];
  }
  return document;
}
