// The conditions under which a ClusterClass may be used.
import { describe, expect, it } from 'vitest';
import { checkClass } from '../../../../../functions/topology/plan/class-readiness.ts';
import { readClusterClass } from '../../../../../shared/api/cluster-class/reader.ts';
import { aTopologyClass } from '../../../../support/topology-objects.ts';

const error =
  'ClusterClass is not successfully reconciled: status of VariablesReady condition on ClusterClass must be "True"';

function aClass(status: 'True' | 'False' | 'Unknown' | undefined, observedGeneration: number) {
  const conditions = status === undefined ? [] : [{ type: 'VariablesReady', status, reason: 'R', message: '' }];
  return readClusterClass(aTopologyClass().atGeneration(2).withStatus({ conditions, observedGeneration }).build());
}

describe('a ClusterClass', () => {
  it.each([
    { reason: 'its variables are ready', status: 'True', seen: 2, readiness: { state: 'usable' } },
    { reason: 'unknown is not false', status: 'Unknown', seen: 2, readiness: { state: 'usable' } },
    { reason: 'it has changed since', status: 'True', seen: 1, readiness: { state: 'classNotReconciled' } },
    { reason: 'its variables are not ready', status: 'False', seen: 2, readiness: { state: 'failed', error } },
    {
      reason: 'it has never been reconciled',
      status: undefined,
      seen: 2,
      readiness: { state: 'failed', error, isClassNew: true },
    },
  ] as const)('is used as its own reconciler left it: $reason', ({ status, seen, readiness }) => {
    expect(checkClass(aClass(status, seen))).toEqual(readiness);
  });
});
