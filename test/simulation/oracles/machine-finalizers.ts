// Invariant I6 for Machines: the finalizer stays while the objects that the Machine references exist.

import { isJsonObject, type Unstructured, valueAt } from '@capi-serverless/apimachinery';
import type { Commit, SimulatedApi } from '../system/api-server.ts';
import type { Oracle } from './monitor.ts';

const machineFinalizer = 'machine.cluster.x-k8s.io';

/** Applies to the product only. A user may remove any finalizer. */
export function watchMachineFinalizers(api: SimulatedApi, report: (text: string) => void): Oracle {
  return {
    committed(commit) {
      const { previous, writer } = commit;
      if (previous?.kind !== 'Machine' || writer === 'user' || !isReleased(commit)) {
        return;
      }
      for (const { kind, metadata } of api.objects().values()) {
        if (metadata.namespace === previous.metadata.namespace && references(previous, kind, metadata.name)) {
          report(`I6: ${writer} released Machine ${previous.metadata.name} while ${kind} ${metadata.name} exists`);
        }
      }
    },
  };
}

function isReleased({ type, object, previous }: Commit): boolean {
  const had = previous?.metadata.finalizers?.includes(machineFinalizer) === true;
  const has = type !== 'DELETED' && object.metadata.finalizers?.includes(machineFinalizer) === true;
  return had && !has;
}

function references({ spec }: Unstructured, kind: string, name: string): boolean {
  return [valueAt(spec, 'infrastructureRef'), valueAt(spec, 'bootstrap.configRef')].some(
    ref => isJsonObject(ref) && ref['kind'] === kind && ref['name'] === name,
  );
}
