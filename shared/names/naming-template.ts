// Renders naming templates of ClusterClasses and MachineSets. Only Go's built-in functions are available. A missing key is
// an error.
import { type Checked, invalid, quote } from '@capi-serverless/apimachinery';
import { longestPlainTemplate, parseTemplate, renderPlainTemplate } from '@capi-serverless/go-template/plain';

export type NameData = Readonly<Record<string, string | Readonly<Record<string, string>>>>;

/** Upstream's name of the template, which errors contain. */
const name = 'template name generator';

/** Errors have the form `parsing template "…": …` or `rendering template: …`. */
export function renderName(template: string, data: NameData): Checked<string> {
  if (template.length > longestPlainTemplate) {
    return invalid(`parsing template: limit exceeded: more than ${longestPlainTemplate} characters`);
  }
  const parsed = parseTemplate(template, { name, functions: 'none', missingKey: 'error' });
  if (!parsed.ok) {
    return invalid(`parsing template ${quote(template)}: ${parsed.error}`);
  }
  const rendered = renderPlainTemplate(parsed.value, data);
  return rendered.ok ? rendered : invalid(`rendering template: ${rendered.error}`);
}
