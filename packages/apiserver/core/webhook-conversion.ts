// No conversion webhook is called. Without its webhook, a definition may serve only what needs no conversion.
import { isJsonObject, memberOf } from '@capi-serverless/apimachinery';
import type { VersionedKind } from './kinds.ts';
import type { StatusCause } from './status.ts';

/** Returns the problem of a definition that needs a webhook. `converted` returns the versions that a program converts. */
export function problemsOfConversion(
  spec: unknown,
  converted: (of: VersionedKind) => readonly string[],
): readonly StatusCause[] {
  if (memberOf(memberOf(spec, 'conversion'), 'strategy') !== 'Webhook') {
    return [];
  }
  const all = memberOf(spec, 'versions');
  const versions = Array.isArray(all) ? all.filter(isJsonObject) : [];
  const storageVersion = String(versions.find(({ storage }) => storage === true)?.['name']);
  const kind = String(memberOf(memberOf(spec, 'names'), 'kind'));
  const known = converted({ group: String(memberOf(spec, 'group')), kind, storageVersion });
  const unknown = versions
    .filter(({ served }) => served === true)
    .map(({ name }) => String(name))
    .filter(name => name !== storageVersion && !known.includes(name));
  if (unknown.length === 0) {
    return [];
  }
  const message = `Invalid value: "Webhook": this API server calls no conversion webhooks, so it cannot convert ${kind} between ${storageVersion} and ${unknown.join(', ')}; set "served: false" on each version but the storage version ${storageVersion}`;
  return [{ reason: 'FieldValueInvalid', field: 'spec.conversion.strategy', message }];
}
