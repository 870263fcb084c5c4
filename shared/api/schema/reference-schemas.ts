// Schemas of references between objects, as in Cluster API v1beta2.
import { type JsonSchema, object } from './json-schema.ts';
import { apiGroup, apiVersion, kindName, objectName } from './name-schemas.ts';

/** References an object in the same namespace. The labels of its definition determine the version. */
export function contractReference(description: string): JsonSchema {
  return object(
    description,
    {
      apiGroup: apiGroup('API group of the object.'),
      kind: kindName('Kind of the object.'),
      name: objectName('Name of the object.'),
    },
    { required: ['apiGroup', 'kind', 'name'] },
  );
}

/** References a template in a specific version. */
export function versionedReference(description: string): JsonSchema {
  return object(
    description,
    {
      apiVersion: apiVersion('Group and version of the object.'),
      kind: kindName('Kind of the object.'),
      name: objectName('Name of the object.'),
    },
    { required: ['apiVersion', 'kind', 'name'] },
  );
}

/** References an object of a known kind in the same namespace. `name` describes the name. */
export function nameReference(description: string, name: string): JsonSchema {
  return object(description, { name: objectName(name) }, { required: ['name'] });
}
