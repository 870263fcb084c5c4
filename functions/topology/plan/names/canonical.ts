// Serializes an object to text that does not depend on the order of its members.
import { compareText, isJsonObject } from '@capi-serverless/apimachinery';

/** Returns JSON with sorted members. Undefined members are omitted. */
export function toCanonicalText(value: object): string {
  return JSON.stringify(value, (_, member: unknown) =>
    isJsonObject(member) ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => compareText(a, b))) : member,
  );
}
