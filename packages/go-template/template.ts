// Go templates with the functions of sprig, for patches of ClusterClasses. Errors that Go does not have are limits.
import type { Checked } from '@capi-serverless/apimachinery';
import { builtins } from './builtins.ts';
import { sprigFunctions } from './functions/sprig.ts';
import { defaultLimits, type RenderLimits } from './limits.ts';
import type { ParsedTemplate } from './parse.ts';
import { renderWith } from './render.ts';

const withSprig = { ...builtins, ...sprigFunctions };

/**
 * `data` is decoded JSON, in which each number is a float64. Never throws because of an error of a template. Errors are
 * Go's.
 */
export function renderTemplate(
  template: ParsedTemplate,
  data: unknown,
  limits: RenderLimits = defaultLimits,
): Checked<string> {
  return renderWith(template.options.functions === 'sprig' ? withSprig : builtins, template, { data, limits });
}
