// Determines whether the API server accepts the variables in the status. One invalid variable causes the rejection of
// the whole status, including the conditions. Then users see no error.

import { type FieldError, invalidValue, type WorkMeter } from '@capi-serverless/apimachinery';
import { mostStatusVariables, statusVariable } from '../../../shared/api/cluster-class/variables-schema.ts';
import { type StatusVariable, validateBySchema } from '../../../shared/variables/index.ts';

const path = 'status.variables';

/**
 * Returns the reason why the API server would reject the variables. The input has the form in which they are stored.
 */
export function problemsOfStorage(list: readonly StatusVariable[], meter: WorkMeter): readonly FieldError[] {
  if (list.length > mostStatusVariables) {
    const detail = `there are ${list.length}; a class can have ${mostStatusVariables} at most`;
    return [invalidValue(path, undefined, detail)];
  }
  return list.flatMap(variable => {
    const field = `${path}[${variable.name}]`;
    return [...validateBySchema(variable, statusVariable, { field, meter }), ...problemsOfRules(variable, field)];
  });
}

/** `x-kubernetes-validations` is a list with the key `rule`, so no rule may occur twice. */
function problemsOfRules({ definitions }: StatusVariable, field: string): readonly FieldError[] {
  return definitions.flatMap(({ schema }, index) => {
    const rules = schema.openAPIV3Schema['x-kubernetes-validations'] ?? [];
    const first = new Map(rules.map(({ rule }, at) => [rule, at] as const).reverse());
    const repeated = rules.filter(({ rule }, at) => first.get(rule) !== at);
    const rulesPath = `${field}.definitions[${index}].schema.openAPIV3Schema.x-kubernetes-validations`;
    return repeated.map(({ rule }) => invalidValue(rulesPath, rule, 'this rule occurs more than once'));
  });
}
