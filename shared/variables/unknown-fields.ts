// Finds members of a value that its schema does not describe. Pruning would remove these members.
import { isJsonObject } from '@capi-serverless/apimachinery';
import { memberOf } from './json-type.ts';
import type { VariableSchema } from './schema.ts';
import { stepsPerVisit, type Work } from './work.ts';

interface SearchState {
  readonly path: string;
  readonly work: Work;
}

/**
 * Returns sorted paths such as `a.b[0].c`. Below `x-kubernetes-preserve-unknown-fields`, only described members are
 * searched.
 */
export function unknownFields(value: unknown, schema: VariableSchema, state: SearchState): readonly string[] {
  return find(value, schema, state).toSorted();
}

function find(value: unknown, schema: VariableSchema | undefined, state: SearchState): readonly string[] {
  state.work.spend(stepsPerVisit);
  if (Array.isArray(value)) {
    const keeps = schema?.['x-kubernetes-preserve-unknown-fields'] === true;
    const items = schema?.items;
    const below = items !== undefined && keeps ? { ...items, 'x-kubernetes-preserve-unknown-fields': true } : items;
    return keeps && below === undefined
      ? []
      : value.flatMap((item: unknown, index) => find(item, below, { ...state, path: `${state.path}[${index}]` }));
  }
  if (!isJsonObject(value)) {
    return [];
  }
  return Object.entries(value).flatMap(([name, member]) => {
    const path = state.path === '' ? name : `${state.path}.${name}`;
    const described = memberOf(schema?.properties, name) ?? schema?.additionalProperties;
    if (described !== undefined) {
      return find(member, described, { ...state, path });
    }
    return schema?.['x-kubernetes-preserve-unknown-fields'] === true ? [] : [path];
  });
}
