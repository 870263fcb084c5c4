// The expiry date of the certificates of a control plane Machine. The annotation of the Machine has precedence over that
// of its bootstrap config.
import { toDisplayName } from '@capi-serverless/apimachinery';
import { parseTimestamp, toTimestamp } from '@capi-serverless/apimachinery/timestamp';
import { concluded } from '@capi-serverless/reconciler';
import { isControlPlane } from '../../../shared/api/machine/whole-machine.ts';
import { ownActionId } from '../../../shared/external/object-owner.ts';
import type { MachineChange, MachinePhase } from './pass-progress.ts';
import type { MachineScope } from './scope.ts';

const expiryAnnotation = 'machine.cluster.x-k8s.io/certificates-expiry';

/** If the bootstrap config could not be read, the stored date is kept. */
export function certificateExpiryPhase({ machine, externals }: MachineScope): MachinePhase {
  const bootstrap = externals.bootstrap.scoped;
  if (!isControlPlane(machine)) {
    return concluded();
  }
  const own = machine.metadata.annotations[expiryAnnotation];
  if (own !== undefined) {
    return concluded(toChange(own, machine.metadata));
  }
  if (bootstrap.state === 'unknown') {
    return concluded();
  }
  if (bootstrap.state !== 'inScope') {
    return concluded({ certificatesExpiryDate: null });
  }
  const { metadata } = bootstrap.object;
  const ofConfig = metadata.annotations?.[expiryAnnotation];
  const change = ofConfig === undefined ? { certificatesExpiryDate: null } : toChange(ofConfig, metadata);
  return { actions: [], steps: [{ change, needs: [{ id: ownActionId('bootstrap'), problem: undefined }] }] };
}

function toChange(text: string, of: { readonly namespace?: string; readonly name: string }): MachineChange {
  const date = parseTimestamp(text);
  const problem = 'failed to reconcile certificates expiry: failed to parse expiry date from annotation on';
  return date.ok
    ? { certificatesExpiryDate: toTimestamp(date.value) }
    : { errors: [`${problem} ${toDisplayName(of)}: ${date.error}`] };
}
