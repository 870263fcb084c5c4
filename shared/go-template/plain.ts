// Go templates without the functions of sprig: names of topology objects. Apart from them, so that who needs no more loads no more.
import type { Checked } from '../api/checked.ts';
import { builtins } from './builtins.ts';
import { defaultLimits, type Limits } from './limits.ts';
import type { ParsedTemplate } from './parse.ts';
import { renderWith } from './render.ts';

/** As `renderTemplate`; calls of sprig's functions fail. */
export function renderPlainTemplate(
  template: ParsedTemplate,
  data: unknown,
  limits: Limits = defaultLimits,
): Checked<string> {
  return renderWith(builtins, template, { data, limits });
}
