// Deep equality and deep copies of values.
import { sameBytes } from './bytes.ts';
import type { RenderMeter } from './limits.ts';
import { Dict, Int, List, Opaque, type TemplateValue, typeOf } from './value.ts';

/** Like Go's reflect.DeepEqual, which also compares types. */
export function deepEqual(a: TemplateValue, b: TemplateValue, meter: RenderMeter, depth = 0): boolean {
  meter.visit(depth);
  if (typeOf(a) !== typeOf(b)) {
    return false;
  }
  if (a instanceof Int && b instanceof Int) {
    return a.value === b.value;
  }
  if (a instanceof List && b instanceof List) {
    return (
      a.isNil === b.isNil &&
      a.items.length === b.items.length &&
      a.items.every((item, at) => deepEqual(item, b.items[at], meter, depth + 1))
    );
  }
  if (a instanceof Dict && b instanceof Dict) {
    const isSame = ([key, value]: readonly [string, TemplateValue]): boolean =>
      b.entries.has(key) && deepEqual(value, b.entries.get(key), meter, depth + 1);
    return a.isNil === b.isNil && a.entries.size === b.entries.size && [...a.entries].every(isSame);
  }
  if (a instanceof Opaque && b instanceof Opaque) {
    return a.text === b.text;
  }
  if (typeof a === 'string' && typeof b === 'string') {
    meter.text(Math.max(a.length, b.length));
    return sameBytes(a, b);
  }
  return (a ?? null) === (b ?? null);
}

export function deepCopy(value: TemplateValue, meter: RenderMeter, depth = 0): TemplateValue {
  meter.visit(depth);
  if (value instanceof List) {
    const items = value.items.map(item => deepCopy(item, meter, depth + 1));
    const copied = new List(items, value.element, value.isNil);
    meter.created(copied);
    return copied;
  }
  if (value instanceof Dict) {
    const entries = [...value.entries].map(([key, item]) => [key, deepCopy(item, meter, depth + 1)] as const);
    const copied = new Dict(new Map(entries), value.element, value.isNil);
    meter.created(copied);
    return copied;
  }
  return value;
}
