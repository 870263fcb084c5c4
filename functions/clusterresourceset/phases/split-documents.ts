// Splits a text into its YAML documents, as Kubernetes does.
import { type Checked, invalid, valid } from '@capi-serverless/apimachinery';

const separator = '---';

/** A line that begins with `---` ends a document. Only spaces or a comment may follow. */
export function splitDocuments(text: string): Checked<readonly string[]> {
  const documents: string[] = [];
  let lines: string[] = [];
  for (const line of text.split('\n')) {
    if (!line.startsWith(separator)) {
      lines.push(line);
      continue;
    }
    const rest = line.slice(separator.length).trim();
    if (rest !== '' && !rest.startsWith('#')) {
      // The rest may be part of a Secret, so it is not quoted.
      return invalid('failed to read yaml: invalid Yaml document separator');
    }
    documents.push(lines.join('\n'));
    lines = [];
  }
  return valid([...documents, lines.join('\n')]);
}
