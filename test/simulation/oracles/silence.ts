// Invariants I1 and I3: a reconcile of every object of a settled system makes no write. After a lost event, such a
// write would occur.

import { groupOf } from '@capi-serverless/apimachinery';
import { stateNames } from '../../../shared/event-source/state-config-map.ts';
import { messageVersion } from '../../../shared/workqueue/message.ts';
import { toWorkMessage } from '../../../shared/workqueue/outgoing.ts';
import { workQueueOf } from '../../../shared/workqueue/queue-names.ts';
import type { Engine } from '../engine/process.ts';
import type { System } from '../system/system.ts';
import type { Monitor } from './monitor.ts';
import { untilServed } from './quiet.ts';

export async function lookAtEverything(engine: Engine, system: System, monitor: Monitor): Promise<void> {
  const random = engine.random.fork('silence');
  const { managementCluster } = system;
  monitor.forgetWrites();
  for (const { name: reconciler, primary } of system.declarations) {
    for (const { apiVersion, kind, metadata } of system.api.objects().values()) {
      if (kind !== primary.kind || groupOf(apiVersion) !== primary.group) {
        continue;
      }
      const { name, namespace = '' } = metadata;
      const key = { managementCluster, group: primary.group, kind, namespace, name };
      const request = { v: messageVersion, reconciler, key, cause: 'manual', attempt: 0, trace: 'silence' } as const;
      await system.queues.service.send(workQueueOf(reconciler), [toWorkMessage(request, () => random.uuid())]);
    }
  }
  await untilServed(engine, system);
  for (const write of monitor.writes.filter(line => !isRunOfResync(line))) {
    monitor.violation(`I1, I3: a settled system still writes: ${write}`);
  }
}

/** A resync that is due at this time stores its run. It is not a reconcile, and its ConfigMap is not an object of a user. */
function isRunOfResync(write: string): boolean {
  return write.includes(`ConfigMap kube-system/${stateNames.resync}`);
}
