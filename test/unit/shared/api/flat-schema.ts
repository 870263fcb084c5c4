// Flattens a structural schema to one row per field, to compare schemas and to look up paths.
import type { JsonSchema } from '../../../../shared/api/schema/json-schema.ts';

/** The keywords of one field, without its description and its children. */
export type FieldFacts = Readonly<Record<string, unknown>>;

/**
 * Keys are paths (`.spec.paths[].name`, `{}` for any keys), values are keywords. `required`: whether the parent
 * requires the field.
 */
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
