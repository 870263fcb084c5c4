// References from one object to another, as Cluster API v1beta2 writes them.
import { type JsonSchema, object } from './json-schema.ts';
import { apiGroup, apiVersion, kindName, objectName } from './names.ts';

/** Names an object of the same namespace; its version is looked up in the labels of its definition. */
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

/** Names a template together with its version. */
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
