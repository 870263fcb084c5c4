// Lays a structural schema out as one row per field, so that two schemas can be compared and paths looked up.
import type { JsonSchema } from '../../../../shared/api/schema/json-schema.ts';

/** The keywords of one field, without what describes it to people or lists its children. */
export type FieldFacts = Readonly<Record<string, unknown>>;

/** Path (`.spec.paths[].name`, `{}` for free keys) to keywords. `required` says whether the parent demands the field. */
export function flatten(schema: JsonSchema): ReadonlyMap<string, FieldFacts> {
  const rows = new Map<string, FieldFacts>();
  visit(schema, '', false, rows);
  return rows;
}

function visit(schema: JsonSchema, path: string, required: boolean, rows: Map<string, FieldFacts>): void {
  const { description: _, properties, items, additionalProperties, required: demanded = [], ...keywords } = schema;
  rows.set(path, { ...keywords, required });
  for (const [name, child] of Object.entries(properties ?? {})) {
    visit(child, `${path}.${name}`, demanded.includes(name), rows);
  }
  if (items !== undefined) {
    visit(items, `${path}[]`, false, rows);
  }
  if (additionalProperties !== undefined) {
    visit(additionalProperties, `${path}{}`, false, rows);
  }
}
