// Go templates without the functions of sprig, for names of topology objects. It is a separate module, to keep bundles
// small.
import type { Checked } from '@capi-serverless/apimachinery';
import { builtins } from './builtins.ts';
import { defaultLimits, type Limits } from './limits.ts';
import type { ParsedTemplate } from './parse.ts';
import { renderWith } from './render.ts';

/** Like `renderTemplate`, but calls of sprig's functions fail. */
export function renderPlainTemplate(
  template: ParsedTemplate,
  data: unknown,
  limits: Limits = defaultLimits,
): Checked<string> {
  return renderWith(builtins, template, { data, limits });
}
