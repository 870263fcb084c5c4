// The patch of a Machine whose health is what its conditions say.
import type { Unstructured } from '@capi-serverless/apimachinery';
import { applyMergePatch } from '@capi-serverless/apimachinery/json-patch';
import { expect, it } from 'vitest';
import { healthOf, type Target } from '../../../../functions/machinehealthcheck/phases/health.ts';
import { plan } from '../../../../functions/machinehealthcheck/plan.ts';
import { readCluster } from '../../../../shared/api/cluster/reader.ts';
import { readWholeMachine } from '../../../../shared/api/machine/whole-machine.ts';
import { readHealthCheck } from '../../../../shared/api/machine-health-check/reader.ts';
import { readNodeHealth } from '../../../../shared/api/node/health-reader.ts';
import { aCapiCluster, aCheck, machine, node, now } from './scenario-objects.ts';

const scope = { check: readHealthCheck(aCheck().build()), cluster: readCluster(aCapiCluster().build()), now };

function patchOf(stored: Unstructured) {
  const target: Target = {
    machine: readWholeMachine(stored),
    node: { state: 'found', node: readNodeHealth(node(1).build()) },
  };
  const targets = [{ ...target, health: healthOf(target, scope) }];
  const { actions } = plan({ ...scope, step: 'targets', targets, external: undefined }, now);
  const patch = actions.find(({ id }) => id === 'machine:m1');
  const body = patch?.do === 'patch' && typeof patch.body === 'function' ? patch.body(new Map()) : undefined;
  return { isSent: patch?.when?.(new Map()), body };
}

it('is empty and not sent, once it was applied', () => {
  const first = patchOf(machine(1).build());
  expect(first).toMatchObject({ isSent: true, body: { status: { conditions: expect.anything() } } });
  const judged = applyMergePatch(machine(1).build(), first.body ?? {}) as Unstructured; // true: a patched object is an object
  expect(patchOf(judged)).toEqual({ isSent: false, body: {} });
});
