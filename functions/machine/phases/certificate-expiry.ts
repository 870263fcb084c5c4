// The expiry date of the certificates of a control plane Machine. The annotation of the Machine has precedence over that
// of its bootstrap config.
import { toDisplayName } from '@capi-serverless/apimachinery';
import { parseTimestamp, toTimestamp } from '@capi-serverless/apimachinery/timestamp';
import type { WholeMachine } from '../../../shared/api/machine/whole-machine.ts';
import type { Scoped } from '../../../shared/external/external.ts';
import { ownActionId } from '../../../shared/external/object-owner.ts';
import { isControlPlane } from './machine-gate.ts';
import { always, type MachineChange, type MachineStep } from './step.ts';

const expiryAnnotation = 'machine.cluster.x-k8s.io/certificates-expiry';

/** If the bootstrap config could not be read, the stored date is kept. */
export function certificateExpiryStep(machine: WholeMachine, bootstrap: Scoped): MachineStep {
  if (!isControlPlane(machine)) {
    return always({});
  }
  const own = machine.metadata.annotations[expiryAnnotation];
  if (own !== undefined) {
    return always(toChange(own, machine.metadata));
  }
  if (bootstrap.state === 'unknown') {
    return always({});
  }
  if (bootstrap.state !== 'inScope') {
    return always({ certificatesExpiryDate: null });
  }
  const { metadata } = bootstrap.object;
  const ofConfig = metadata.annotations?.[expiryAnnotation];
  return {
    change: ofConfig === undefined ? { certificatesExpiryDate: null } : toChange(ofConfig, metadata),
    needs: [{ id: ownActionId('bootstrap'), problem: undefined }],
  };
}

function toChange(text: string, of: { readonly namespace?: string; readonly name: string }): MachineChange {
  const date = parseTimestamp(text);
  const problem = 'failed to reconcile certificates expiry: failed to parse expiry date from annotation on';
  return date.ok
    ? { certificatesExpiryDate: toTimestamp(date.value) }
    : { errors: [`${problem} ${toDisplayName(of)}: ${date.error}`] };
}
