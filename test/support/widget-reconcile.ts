// One reconcile of a widget by the kernel, with the memory API. Tests can exceed its deadline.
import { type ReconcileContext, reconcile } from '../../shared/kernel/reconcile.ts';
import { aReconciler, aRecordingLog, type SeenWidget, widgetCrd, widgetRef } from './kernel.ts';
import { createMemoryApi } from './memory-api.ts';

export function createKernelWorld() {
  const api = createMemoryApi({ crds: [widgetCrd] });
  const deadline = new AbortController();
  function run(
    reconciler: Parameters<typeof aReconciler>[0],
    more: Partial<ReconcileContext<object, SeenWidget>> = {},
  ) {
    return reconcile(
      {
        reconciler: aReconciler(reconciler),
        kubernetes: api.kubernetes,
        ports: {},
        clock: api.clock,
        signal: deadline.signal,
        log: aRecordingLog(),
        watchFilter: '',
        ...more,
      },
      widgetRef,
    );
  }
  return { api, deadline, run };
}

export const onWidget = (verb: string) => (call: { readonly verb: string; readonly kind: string }) =>
  call.verb === verb && call.kind === 'Widget';
