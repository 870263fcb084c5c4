// OpenAPI schemas of the older versions, for clients that explain fields. Nothing is validated by them.
import { isJsonObject, type JsonObject, memberOf } from '@capi-serverless/apimachinery';
import { shapesOfKinds } from './kinds.ts';
import { olderField, type VersionedObject, versionedName } from './older-fields.ts';
import type { Scalar } from './parse-shapes.ts';
import type { FieldType } from './shape.ts';

const anything: JsonObject = { 'x-kubernetes-preserve-unknown-fields': true };

const scalarSchemas: Readonly<Record<Scalar, JsonObject>> = {
  string: { type: 'string' },
  bool: { type: 'boolean' },
  int: { type: 'integer' },
  float64: { type: 'number' },
  time: { type: 'string', format: 'date-time' },
  duration: { type: 'string' },
  intOrString: { anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true },
  bytes: { type: 'string', format: 'byte' },
  json: anything,
  metadata: { type: 'object' },
};

/**
 * Returns the schema of a kind in an older version. A field has the description of the field in the schema of the stored
 * version that it becomes, if both have the same type.
 */
export function olderSchema(kind: VersionedObject, stored: unknown): JsonObject {
  const known = new Map<string, unknown>();
  for (const [path, schema] of schemasBelow(stored, '')) {
    const older = olderField(kind, path);
    known.set(older, known.get(older) ?? schema);
  }
  const described = (schema: JsonObject, path: string): JsonObject => {
    const description = memberOf(known.get(path), 'description');
    const isSame = memberOf(known.get(path), 'type') === schema['type'];
    return isSame && typeof description === 'string' ? { description, ...schema } : schema;
  };
  return schemaOf({ is: 'struct', name: versionedName(kind) }, { path: '', above: [], described });
}

interface Place {
  /** The path of the field, as in `older-fields.ts`. */
  readonly path: string;
  /** The structs in which it is. */
  readonly above: readonly string[];
  readonly described: (schema: JsonObject, path: string) => JsonObject;
}

function schemaOf(type: FieldType, place: Place): JsonObject {
  const { path, above, described } = place;
  switch (type.is) {
    case 'pointer':
      return schemaOf(type.of, place);
    case 'list':
      return described({ type: 'array', items: schemaOf(type.of, { ...place, path: `${path}[0]` }) }, path);
    case 'map':
      return described(
        { type: 'object', additionalProperties: schemaOf(type.of, { ...place, path: `${path}[key]` }) },
        path,
      );
    case 'struct':
      // Schemas of variables contain themselves.
      return above.includes(type.name)
        ? { type: 'object', ...anything }
        : described({ type: 'object', properties: propertiesOf(type.name, place) }, path);
    default:
      return described(scalarSchemas[type.is], path);
  }
}

function propertiesOf(struct: string, { path, above, described }: Place): JsonObject {
  const fields = [...shapesOfKinds().book.fieldsOf(struct).values()];
  return Object.fromEntries(
    fields.map(({ name, type }) => {
      const at = path === '' ? name : `${path}.${name}`;
      return [name, schemaOf(type, { path: at, above: [...above, struct], described })];
    }),
  );
}

function schemasBelow(schema: unknown, path: string): readonly (readonly [path: string, schema: unknown])[] {
  const properties = memberOf(schema, 'properties');
  const fields = Object.entries(isJsonObject(properties) ? properties : {});
  const below = fields.flatMap(([name, member]) => schemasBelow(member, path === '' ? name : `${path}.${name}`));
  const [items, values] = [memberOf(schema, 'items'), memberOf(schema, 'additionalProperties')];
  return [
    [path, schema],
    ...below,
    ...(isJsonObject(items) ? schemasBelow(items, `${path}[0]`) : []),
    ...(isJsonObject(values) ? schemasBelow(values, `${path}[key]`) : []),
  ];
}
