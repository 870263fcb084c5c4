// The machine template that a control plane references.

import { invalid, valid } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { machineTemplateReference } from '../../../../../../functions/topology/plan/current/machine-template-reference.ts';
import { anOlderControlPlane, settledObjects } from '../../../../../support/settled-topology.ts';
import { settled } from '../../../../../support/topology-objects.ts';

const ref = {
  apiGroup: 'infrastructure.cluster.x-k8s.io',
  kind: 'GenericInfrastructureMachineTemplate',
  name: settled.controlPlaneMachineTemplate,
} as const;

function withReference(infrastructureRef: unknown) {
  return settledObjects()
    .controlPlane.withSpec({ machineTemplate: { spec: { infrastructureRef } } })
    .build();
}

describe('the reference to a machine template', () => {
  it('is read in the form of its contract', () => {
    expect(machineTemplateReference(settledObjects().controlPlane.build(), 'v1beta2')).toEqual(valid(ref));
    expect(machineTemplateReference(anOlderControlPlane().build(), 'v1beta1')).toEqual(valid(ref));
  });

  it.each([
    { reason: 'no reference', infrastructureRef: undefined, error: /is not set$/ },
    { reason: 'a text', infrastructureRef: 'text', error: /./ },
  ])('is an error where it is not there: $reason', ({ infrastructureRef, error }) => {
    const found = machineTemplateReference(withReference(infrastructureRef), 'v1beta2');
    expect(found).toEqual(invalid(expect.stringMatching(error)));
  });

  it('has empty fields for values that are not texts', () => {
    expect(machineTemplateReference(withReference({ apiGroup: 7, kind: 'K' }), 'v1beta2')).toEqual(
      valid({ apiGroup: '', kind: 'K', name: '' }),
    );
  });
});
