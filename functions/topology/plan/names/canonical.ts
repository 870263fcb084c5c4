// A canonical text of an object, independent of the order of its members.
import { compareText, isJsonObject } from '@capi-serverless/apimachinery';

/** JSON with sorted members; undefined members count as absent. */
export function toCanonicalText(value: object): string {
  return JSON.stringify(value, (_, member: unknown) =>
    isJsonObject(member) ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => compareText(a, b))) : member,
  );
}
