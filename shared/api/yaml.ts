// The YAML parser of kubeconfigs. Load this file on demand with `await import`, because few functions parse YAML.
import type { Checked } from '@capi-serverless/apimachinery';
import { decodeYaml11 } from '@capi-serverless/go-template/yaml';

/**
 * The first document, as kubectl reads it: of equal keys the last one counts. Linear in the text, and silent: no warning is
 * written anywhere. The error may quote the text, so it must not be passed on where the text may hold a secret.
 */
export function parseYaml(text: string): Checked<unknown> {
  return decodeYaml11(text);
}
