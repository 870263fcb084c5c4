// Computes the values that inline patches write, and whether a patch is enabled.
import { type Checked, invalid, mapChecked, valid } from '@capi-serverless/apimachinery';
import type { JsonPatchDefinition } from '../../../../shared/api/cluster-class/class-spec.ts';
import type { ValueTemplates } from './value-templates.ts';
import { valueAtPath } from './variable-path.ts';
import type { VariableData } from './visible-variables.ts';

export interface Calculating {
  readonly variables: VariableData;
  readonly templates: ValueTemplates;
  /** The place in the patch, for example `definitions[0].jsonPatches[1]`. */
  readonly place: string;
}

/**
 * Returns the result of `value` or `valueFrom`. Null is a valid value. Only errors of the template engine end with the
 * place.
 */
export function calculateValue(
  { value, valueFrom }: JsonPatchDefinition,
  { variables, templates, place }: Calculating,
): Checked<unknown> {
  if (valueFrom === undefined) {
    return value === undefined ? uncalculated('neither .value nor .valueFrom are set') : valid(value);
  }
  const { variable, template } = valueFrom;
  if (value !== undefined) {
    return uncalculated('both .value and .valueFrom are set');
  }
  if (variable === '' && template === '') {
    const both = 'neither .valueFrom.variable nor .valueFrom.template are set';
    return uncalculated(`.valueFrom is set, but ${both}`);
  }
  if (variable !== '' && template !== '') {
    return uncalculated('.valueFrom is set, but both .valueFrom.variable and .valueFrom.template are set');
  }
  if (variable !== '') {
    const found = valueAtPath(variables, variable);
    return found.ok ? found : uncalculated(found.error);
  }
  const rendered = templates.evaluate(template, variables);
  return rendered.ok ? rendered : invalid(`failed to calculate value for template: ${rendered.error} (${place})`);
}

/** Returns true without a condition. Otherwise returns true only if the condition renders to exactly `true`. */
export function isEnabled(condition: string, variables: VariableData, templates: ValueTemplates): Checked<boolean> {
  if (condition === '') {
    return valid(true);
  }
  const value = templates.evaluate(condition, variables);
  return value.ok
    ? mapChecked(value, result => result === true)
    : invalid(`failed to calculate value for enabledIf: ${value.error}`);
}

function uncalculated(problem: string): Checked<never> {
  return invalid(`failed to calculate value: ${problem}`);
}
