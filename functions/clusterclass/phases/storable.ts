// Whether the API server would store the variables. It refuses a whole status for one of them, conditions included, and then
// nobody would be told.
import { mostStatusVariables, statusVariable } from '../../../shared/api/cluster-class/variables-schema.ts';
import { type FieldError, invalidValue } from '../../../shared/api/field-error.ts';
import { type StatusVariable, validateBySchema } from '../../../shared/variables/index.ts';

const path = 'status.variables';

/** Why it would refuse them; the variables are in the form in which they would be stored. */
export function problemsOfStorage(list: readonly StatusVariable[]): readonly FieldError[] {
  if (list.length > mostStatusVariables) {
    const detail = `there are ${list.length}; a class can have ${mostStatusVariables} at most`;
    return [invalidValue(path, undefined, detail)];
  }
  return list.flatMap(variable => {
    const field = `${path}[${variable.name}]`;
    return [...validateBySchema(variable, statusVariable, field), ...problemsOfRules(variable, field)];
  });
}

/** A list by rules: none can stand in it twice. */
function problemsOfRules({ definitions }: StatusVariable, field: string): readonly FieldError[] {
  return definitions.flatMap(({ schema }, index) => {
    const rules = schema.openAPIV3Schema['x-kubernetes-validations'] ?? [];
    const repeated = rules.filter(({ rule }, at) => rules.findIndex(other => other.rule === rule) < at);
    const place = `${field}.definitions[${index}].schema.openAPIV3Schema.x-kubernetes-validations`;
    return repeated.map(({ rule }) => invalidValue(place, rule, 'this rule stands there more than once'));
  });
}
