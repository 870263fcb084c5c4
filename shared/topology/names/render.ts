// Renders naming templates of ClusterClasses: Go's own functions only, and a key that is not there is an error.
import { type Checked, invalid } from '../../api/checked.ts';
import { quote } from '../../api/field-error.ts';
import { parseTemplate } from '../../go-template/parse.ts';
import { renderPlainTemplate } from '../../go-template/plain.ts';

export type NameData = Readonly<Record<string, string | Readonly<Record<string, string>>>>;

/** Upstream's name for it, which errors tell. */
const name = 'template name generator';

/** Errors read `parsing template "…": …` or `rendering template: …`. */
export function renderName(template: string, data: NameData): Checked<string> {
  const parsed = parseTemplate(template, { name, functions: 'none', missingKey: 'error' });
  if (!parsed.ok) {
    return invalid(`parsing template ${quote(template)}: ${parsed.error}`);
  }
  const rendered = renderPlainTemplate(parsed.value, data);
  return rendered.ok ? rendered : invalid(`rendering template: ${rendered.error}`);
}
