// One text for one object, whatever the order of its members.
import { compareText } from '../../names/text-order.ts';

/** JSON with sorted members; those that are undefined count as absent. */
export function toCanonicalText(value: object): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => compareText(a, b)))
      : member,
  );
}
