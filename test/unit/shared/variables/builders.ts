// Variables for tests.
import type { ClusterClassVariable, StatusVariable, VariableSchema } from '../../../../shared/variables/schema.ts';

export function aVariable(name: string, openAPIV3Schema: VariableSchema = { type: 'string' }): ClusterClassVariable {
  return { name, required: true, schema: { openAPIV3Schema } };
}

export function aStatusVariable(
  name: string,
  openAPIV3Schema: VariableSchema = { type: 'string' },
  { required = false, definitionsConflict = false } = {},
): StatusVariable {
  return {
    name,
    definitionsConflict,
    definitions: [{ from: 'inline', required, schema: { openAPIV3Schema } }],
  };
}
