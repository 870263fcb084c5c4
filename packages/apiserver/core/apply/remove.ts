// Removes fields from a value.
import { type FieldSet, isMember, type OptionalFieldSet } from './field-set.ts';
import type { MergeType } from './merge-type.ts';
import { fieldElement } from './path-element.ts';
import { itemElement, memberType, shapeOf } from './value-shape.ts';

/**
 * Returns the value without these paths and the paths below them. A container that loses its last part becomes null, as
 * in kube-apiserver.
 */
export function removeFields(type: MergeType, value: unknown, paths: OptionalFieldSet): unknown {
  const shape = shapeOf(type, value);
  if (paths === undefined || shape.kind === 'leaf') {
    return value;
  }
  if (shape.kind === 'list') {
    const { items } = shape.type;
    const left = shape.items.flatMap(item => kept(items, item, paths[itemElement(shape.type, item)]));
    return settled(left.length, { value, same: sameItems(left, shape.items), next: left });
  }
  const entries = Object.entries(shape.members);
  const left = entries.flatMap(([name, member]) =>
    kept(memberType(shape.type, name), member, paths[fieldElement(name)]).map((next): readonly [string, unknown] => [
      name,
      next,
    ]),
  );
  const same = left.length === entries.length && left.every(([, next], index) => next === entries[index]?.[1]);
  return same ? value : settled(left.length, { value, same, next: Object.fromEntries(left) });
}

/** Returns nothing if the part itself is removed. */
function kept(type: MergeType, part: unknown, paths: FieldSet | undefined): readonly unknown[] {
  if (paths === undefined) {
    return [part];
  }
  return isMember(paths) ? [] : [removeFields(type, part, paths)];
}

function sameItems(left: readonly unknown[], right: readonly unknown[]): boolean {
  return left.length === right.length && left.every((item, index) => item === right[index]);
}

interface Outcome {
  readonly value: unknown;
  readonly same: boolean;
  readonly next: unknown;
}

function settled(parts: number, { value, same, next }: Outcome): unknown {
  if (same) {
    return value;
  }
  return parts === 0 ? null : next;
}
