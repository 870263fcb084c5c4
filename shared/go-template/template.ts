// Go templates with the functions of sprig: patches of ClusterClasses. What is met while rendering, and cannot be in Go, is a limit.
import type { Checked } from '../api/checked.ts';
import { builtins } from './builtins.ts';
import { sprigFunctions } from './functions/sprig.ts';
import { defaultLimits, type Limits } from './limits.ts';
import type { ParsedTemplate } from './parse.ts';
import { renderWith } from './render.ts';

const withSprig = { ...builtins, ...sprigFunctions };

/** `data` is decoded JSON; each of its numbers is a float64. Never throws on what a template does; errors are Go's. */
export function renderTemplate(
  template: ParsedTemplate,
  data: unknown,
  limits: Limits = defaultLimits,
): Checked<string> {
  return renderWith(template.options.functions === 'sprig' ? withSprig : builtins, template, { data, limits });
}
