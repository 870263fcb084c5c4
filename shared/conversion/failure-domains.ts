// The failure domains of a Cluster: a map in the older version, and a list in the newer version.
import { isJsonObject, memberOf, setMember, withoutUndefined } from '@capi-serverless/apimachinery';

/** Sorted by name. `controlPlane` is always there. */
export function toFailureDomainList(map: unknown): unknown {
  return isJsonObject(map)
    ? Object.keys(map)
        .sort()
        .map(name => ({
          ...(name === '' ? {} : { name }),
          controlPlane: memberOf(map[name], 'controlPlane') === true,
          ...withoutUndefined({ attributes: memberOf(map[name], 'attributes') }),
        }))
    : undefined;
}

/** The last one of equal names remains. */
export function toFailureDomainMap(list: unknown): unknown {
  if (!Array.isArray(list)) {
    return undefined;
  }
  const map: Record<string, unknown> = {};
  for (const domain of list) {
    const controlPlane = memberOf(domain, 'controlPlane') === true ? true : undefined;
    const name = memberOf(domain, 'name');
    const attributes = memberOf(domain, 'attributes');
    setMember(map, typeof name === 'string' ? name : '', withoutUndefined({ controlPlane, attributes }));
  }
  return map;
}
