// Go templates without the functions of sprig, for names of topology objects. It is a separate module, to keep bundles
// small.
import type { Checked } from '@capi-serverless/apimachinery';
import { builtins } from './builtins.ts';
import { defaultLimits, type RenderLimits } from './limits.ts';
import type { ParsedTemplate } from './parse.ts';
import { renderWith } from './render.ts';

/** The limits are low, because names are short and a topology has many of them. */
const limitsOfNames: RenderLimits = {
  ...defaultLimits,
  steps: 2000,
  outputBytes: 64 * 1024,
  valueBytes: 64 * 1024,
  memoryBytes: 1024 * 1024,
};

/** The maximum length of name templates. Longer ones are not parsed. */
export const longestPlainTemplate = 4096;

/** Like `renderTemplate`, but calls of sprig's functions fail. */
export function renderPlainTemplate(
  template: ParsedTemplate,
  data: unknown,
  limits: RenderLimits = limitsOfNames,
): Checked<string> {
  return renderWith(builtins, template, { data, limits });
}
