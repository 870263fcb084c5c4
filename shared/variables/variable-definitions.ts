// Validates variable definitions, for the admission of ClusterClasses and the discovery of an extension's variables.
import {
  type FieldError,
  internalError,
  invalidValue,
  requiredValue,
  type WorkMeter,
} from '@capi-serverless/apimachinery';
import { problemsOfDefaults } from './definition-defaults.ts';
import { problemsOfSchema } from './definition-schema.ts';
import type { ClusterClassVariable, VariableSchema } from './schema.ts';
import { problemsOfStructure } from './structure.ts';
import { rulesOf } from './validation-rules.ts';
import { problemsOfMetadata, problemsOfSchemaMetadata } from './variable-metadata.ts';
import { allowWork, isTooMuchWork, maxSteps, type Work } from './work.ts';

/** Returns the errors of the variables below the field `path`, in order. */
export function validateVariableDefinitions(
  variables: readonly ClusterClassVariable[],
  path: string,
  meter?: WorkMeter,
): readonly FieldError[] {
  const work = allowWork(maxSteps, meter);
  const errors = [...repeatedNames(variables, path)];
  for (const variable of variables) {
    const field = `${path}[${variable.name}]`;
    try {
      // Their number is that of choices and items, and a call cannot have as many arguments.
      for (const error of problemsOfVariable(variable, field, work)) {
        errors.push(error);
      }
    } catch (error) {
      if (!isTooMuchWork(error)) {
        throw error;
      }
      return [...errors, internalError(field, `variable "${variable.name}" ${error.message}`)];
    }
  }
  return errors;
}

function repeatedNames(variables: readonly ClusterClassVariable[], path: string): readonly FieldError[] {
  const seen = new Set<string>();
  return variables.flatMap(({ name }) => {
    const repeated = seen.has(name);
    seen.add(name);
    const detail = `variable name must be unique. Variable with name "${name}" is defined more than once`;
    return repeated ? [invalidValue(`${path}[${name}].name`, name, detail)] : [];
  });
}

function problemsOfVariable(variable: ClusterClassVariable, field: string, work: Work): readonly FieldError[] {
  const schema = variable.schema.openAPIV3Schema;
  const schemaField = `${field}.schema.openAPIV3Schema`;
  return [
    ...problemsOfName(variable.name, `${field}.name`),
    ...problemsOfMetadata(variable.deprecatedV1Beta1Metadata, `${field}.deprecatedV1Beta1Metadata`),
    ...problemsOfSchemaMetadata(schema, schemaField),
    ...problemsOfRoot(schema, schemaField, work),
  ];
}

function problemsOfName(name: string, field: string): readonly FieldError[] {
  if (name === '') {
    return [requiredValue(field, 'variable name must be defined')];
  }
  if (name === 'builtin') {
    return [invalidValue(field, name, '"builtin" is a reserved variable name')];
  }
  return name.includes('.') ? [invalidValue(field, name, 'variable name cannot contain "."')] : [];
}

/** Validates in stages, because each stage depends on the previous ones. */
function problemsOfRoot(schema: VariableSchema, field: string, work: Work): readonly FieldError[] {
  const ofStructure = problemsOfStructure(schema, field, work);
  if (ofStructure.length > 0) {
    return ofStructure;
  }
  const { rules, problems } = rulesOf(schema, field, work);
  const node = { schema, field, rules, work };
  const ofDefaults = problemsOfDefaults(node);
  return ofDefaults.length > 0 ? ofDefaults : problemsOfSchema(node, problems);
}
