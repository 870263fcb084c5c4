// docs/deployment.md lists every field of a deployment with its default.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { deploymentSchema } from '../../infra/aws/deployment-schema.ts';
import { projectRoot } from '../../infra/bundles/bundle.ts';

interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly default?: unknown;
}

/** Returns each leaf field by its path, with its default. */
function fieldsOf(schema: JsonSchema, at: readonly string[] = []): ReadonlyMap<string, unknown> {
  const alternatives = [schema, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  const below = alternatives.flatMap(({ properties = {} }) =>
    Object.entries(properties).flatMap(([name, inner]) => [...fieldsOf(inner, [...at, name])]),
  );
  return new Map(below.length > 0 ? below : [[at.join('.'), schema.default]]);
}

const text = readFileSync(path.join(projectRoot, 'docs/deployment.md'), 'utf8');
const table = text.split(/<!-- fields: .* -->\n|<!-- end of fields -->/)[1] ?? '';
const rows = new Map(
  table
    .split('\n')
    .filter(line => line.startsWith('| `'))
    .map(line => {
      const cells = line.split(' |').map(cell => cell.replace(/^\| ?/, '').trim());
      return [cells[0]?.replaceAll('`', '') ?? '', cells.at(-2) ?? ''] as const;
    }),
);
// The schema's type does not expose the schema that it wraps.
const fields = fieldsOf(z.toJSONSchema(deploymentSchema, { io: 'input' }) as JsonSchema);

it('the table of fields names exactly the fields of the schema', () => {
  expect(fields.size).toBeGreaterThan(25);
  expect([...rows.keys()].toSorted()).toEqual([...fields.keys()].toSorted());
});

it('the table of fields names each default of the schema', () => {
  const defaults = [...fields].filter(([, value]) => value !== undefined);
  expect(defaults.length).toBeGreaterThan(8);
  expect(Object.fromEntries(defaults.map(([field]) => [field, rows.get(field)]))).toEqual(
    Object.fromEntries(defaults.map(([field, value]) => [field, `\`${String(value)}\``])),
  );
});
