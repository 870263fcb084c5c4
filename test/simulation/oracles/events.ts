// Events of the Kubernetes kind: one per name, and never two that tell the same of one version of an object.
import { isJsonObject } from '../../../shared/api/json.ts';
import type { Oracle } from './monitor.ts';

export function watchEvents(report: (text: string) => void): Oracle {
  const told = new Map<string, string>();
  return {
    committed({ type, object }) {
      if (object.kind !== 'Event' || type === 'DELETED') {
        return;
      }
      const of = object['involvedObject'];
      const version = isJsonObject(of) ? `${String(of['uid'])}@${String(of['resourceVersion'])}` : '';
      const text = `${version} ${String(object['reason'])} ${String(object['message'])}`;
      const before = told.get(text);
      if (before !== undefined) {
        report(`I2: Events ${before} and ${object.metadata.name} tell the same: ${text}`);
      }
      told.set(text, object.metadata.name);
    },
  };
}
