// Oracle for Event objects: one per name, and no two with the same content for one version of an object.
import { isJsonObject } from '@capi-serverless/apimachinery';
import type { Oracle } from './monitor.ts';

export function watchEvents(report: (text: string) => void): Oracle {
  const compared = new Map<string, string>();
  return {
    committed({ type, object }) {
      if (object.kind !== 'Event' || type === 'DELETED') {
        return;
      }
      const of = object['involvedObject'];
      const version = isJsonObject(of) ? `${String(of['uid'])}@${String(of['resourceVersion'])}` : '';
      const text = `${version} ${String(object['reason'])} ${String(object['message'])}`;
      const before = compared.get(text);
      if (before !== undefined) {
        report(`I2: Events ${before} and ${object.metadata.name} report the same: ${text}`);
      }
      compared.set(text, object.metadata.name);
    },
  };
}
