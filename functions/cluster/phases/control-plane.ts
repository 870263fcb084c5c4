// The control plane phase: from the control plane object the Cluster takes "initialized", which is never taken back, and
// the endpoint if nobody else gave one.
import { isTrue } from '../../../shared/conditions/get.ts';
import {
  mirrorV1Beta1Ready,
  readV1Beta1Conditions,
  v1Beta1False,
  v1Beta1True,
} from '../../../shared/conditions/v1beta1.ts';
import { readInitialized } from '../../../shared/contract/control-plane.ts';
import { valueOr } from '../../../shared/contract/path.ts';
import { mergeFailure, readyFallback, takeEndpoint, withMissing } from './external.ts';
import { type InScope, type PhaseContext, type Progress, withError, withEvent, withV1Beta1 } from './scope.ts';

const initializedType = 'ControlPlaneInitialized';

/** Without a control plane object nothing changes here: its Machines tell, in the phase of their own. */
export function controlPlanePhase(context: PhaseContext, progress: Progress): Progress {
  const { controlPlane } = context;
  switch (controlPlane.state) {
    case 'undefined':
      return progress;
    case 'missing':
      return withMissing(context, progress, {
        kind: controlPlane.ref.kind,
        achieved: progress.controlPlaneInitialized ? 'initialized' : undefined,
      });
    case 'unknown':
      return withError(progress, controlPlane.error);
    case 'inScope':
      return withObject(context, { ...progress, failure: mergeFailure(progress.failure, controlPlane) }, controlPlane);
  }
}

function withObject(context: PhaseContext, before: Progress, controlPlane: InScope): Progress {
  const { seen, now } = context;
  const { object, contract } = controlPlane;
  const found = readInitialized(object, contract);
  if (found.state === 'wrongType') {
    return withError(before, found.error);
  }
  const initialized = valueOr(found, false);
  const fallback = readyFallback(seen.cluster, initialized, 'WaitingForControlPlane');
  const ready = mirrorV1Beta1Ready(readV1Beta1Conditions(object), 'ControlPlaneReady', fallback);
  const withReady = withV1Beta1(before, ready, now);
  if (object.metadata.deletionTimestamp !== undefined) {
    return withReady;
  }
  const progress = withV1Beta1Initialized(withReady, initialized, now);
  const isIdle = !initialized && !progress.controlPlaneInitialized;
  return isIdle ? progress : withReported(context, progress, controlPlane);
}

function withV1Beta1Initialized(progress: Progress, initialized: boolean, now: number): Progress {
  if (isTrue(progress.v1beta1, initializedType)) {
    return progress;
  }
  const draft = initialized
    ? v1Beta1True(initializedType)
    : v1Beta1False(initializedType, {
        reason: 'WaitingForControlPlaneProviderInitialized',
        severity: 'Info',
        message: 'Waiting for control plane provider to indicate the control plane has been initialized',
      });
  return withV1Beta1(progress, draft, now);
}

function withReported({ seen }: PhaseContext, before: Progress, controlPlane: InScope): Progress {
  const { cluster } = seen;
  const endpoint = takeEndpoint('controlPlane', controlPlane, { cluster, before: before.endpoint });
  if (!endpoint.ok) {
    return withError(before, endpoint.error);
  }
  const initialized = { ...before, endpoint: endpoint.value, controlPlaneInitialized: true };
  return before.controlPlaneInitialized
    ? initialized
    : withEvent(
        initialized,
        'ControlPlaneInitialized',
        `Cluster ${cluster.metadata.name} ControlPlaneInitialized is now True`,
      );
}
