// Members of a value that its schema does not describe.
import { isJsonObject, memberOf } from './json-type.ts';
import type { VariableSchema } from './schema.ts';
import { stepsPerVisit, type Work } from './work.ts';

interface Place {
  readonly path: string;
  readonly work: Work;
}

/** Paths such as `a.b[0].c`, sorted. Below `x-kubernetes-preserve-unknown-fields`, also of a list, only described parts are looked at. */
export function unknownFields(value: unknown, schema: VariableSchema, place: Place): readonly string[] {
  return find(value, schema, place).toSorted();
}

function find(value: unknown, schema: VariableSchema | undefined, place: Place): readonly string[] {
  place.work.spend(stepsPerVisit);
  if (Array.isArray(value)) {
    const keeps = schema?.['x-kubernetes-preserve-unknown-fields'] === true;
    const items = schema?.items;
    const below = items !== undefined && keeps ? { ...items, 'x-kubernetes-preserve-unknown-fields': true } : items;
    return keeps && below === undefined
      ? []
      : value.flatMap((item: unknown, index) => find(item, below, { ...place, path: `${place.path}[${index}]` }));
  }
  if (!isJsonObject(value)) {
    return [];
  }
  return Object.entries(value).flatMap(([name, member]) => {
    const path = place.path === '' ? name : `${place.path}.${name}`;
    const described = memberOf(schema?.properties, name) ?? schema?.additionalProperties;
    if (described !== undefined) {
      return find(member, described, { ...place, path });
    }
    return schema?.['x-kubernetes-preserve-unknown-fields'] === true ? [] : [path];
  });
}
