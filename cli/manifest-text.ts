// Manifests as text for `kubectl`.
import { stringify } from 'yaml';

/** Returns a List in JSON, or documents in YAML without anchors, so that each manifest can be read alone. */
export function toManifestText(items: readonly object[], json: boolean): string {
  return json
    ? JSON.stringify({ apiVersion: 'v1', kind: 'List', items })
    : items
        .map(item => stringify(item, { aliasDuplicateObjects: false }))
        .join('---\n')
        .trimEnd();
}
