// Another controller continuously writes conditions and finalizers to the objects of the product.

import { isJsonObject, type ObjectRef, type Unstructured } from '@capi-serverless/apimachinery';
import {
  aSimulatedCluster,
  clusterRef,
  controlPlaneRef,
  home,
  infraRef,
  namespaceNamed,
  untilReady,
  type Workload,
} from '../workload.ts';

const guard = 'example.com/guard';
const checked = 'example.com/Checked';
const rounds = 8;

export const neighbours: Workload = {
  name: 'neighbours',
  about: 'While a Cluster comes to life, another controller adds a finalizer to its objects and updates a condition',
  async script(user) {
    await user.create(namespaceNamed(home), ...aSimulatedCluster());
    const guarded: readonly ObjectRef[] = [clusterRef(), infraRef(), controlPlaneRef()];
    for (const ref of guarded) {
      await user.change(ref, withGuard);
    }
    for (let round = 1; round <= rounds; round += 1) {
      for (const ref of guarded) {
        await user.change(ref, object => withCheck(object, round), 'status');
      }
      await user.pause(0.3);
    }
    await untilReady(user);
  },
};

function withGuard({ metadata: { finalizers = [] } }: Unstructured) {
  return { metadata: { finalizers: [...finalizers, guard] } };
}

function withCheck({ status }: Unstructured, round: number) {
  const conditions: unknown = isJsonObject(status) ? status['conditions'] : undefined;
  const others = Array.isArray(conditions)
    ? conditions.filter(each => !isJsonObject(each) || each['type'] !== checked)
    : [];
  const check = {
    type: checked,
    status: 'True',
    reason: 'Checked',
    message: `Round ${round}`,
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  return { status: { conditions: [check, ...others] } };
}
