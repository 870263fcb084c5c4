// The YAML parser of kubeconfigs. Load this file on demand with `await import`, because few functions parse YAML.
import type { Checked } from '@capi-serverless/apimachinery';
import { decodeYaml11 } from '@capi-serverless/go-template/yaml';

/**
 * Returns the first document, with the rules of kubectl: if a key occurs twice, the last one is used. The work is
 * linear in the length of the text, and no warning is written. The error may quote the text, so it must not be reported
 * if the text may contain a secret.
 */
export function parseYaml(text: string): Checked<unknown> {
  return decodeYaml11(text);
}
