// The compiler checks the constants with the name `type…`: each reconciler gets the ports in its declaration.

import type { Reconciler } from '@capi-serverless/reconciler';
import { expect, it } from 'vitest';
import { clusterDeclaration } from '../../../functions/cluster/declaration.ts';
import type { createClusterReconciler } from '../../../functions/cluster/reconciler.ts';
import { topologyDeclaration } from '../../../functions/topology/declaration.ts';
import type { createTopologyReconciler } from '../../../functions/topology/reconciler.ts';
import type { PortsOf } from '../../../shared/ports.ts';

type Equal<A, B> = [A, B] extends [B, A] ? true : false;
type Given<Create> = Create extends (...settings: never[]) => Reconciler<infer Ports, infer _> ? keyof Ports : never;

it('gives the Cluster reconciler a signer and probes of workload clusters', () => {
  const typeNamed: Equal<keyof PortsOf<typeof clusterDeclaration>, 'signer' | 'workload'> = true;
  const typeGiven: Equal<Given<typeof createClusterReconciler>, 'signer' | 'workload'> = true;
  expect([typeNamed, typeGiven, clusterDeclaration.ports]).toEqual([true, true, ['workload', 'signer']]);
});

it('gives the topology reconciler dry runs, hooks and Nodes', () => {
  const typeNamed: Equal<keyof PortsOf<typeof topologyDeclaration>, 'dryRun' | 'hooks' | 'nodes'> = true;
  const typeGiven: Equal<Given<typeof createTopologyReconciler>, 'dryRun' | 'hooks' | 'nodes'> = true;
  expect([typeNamed, typeGiven, topologyDeclaration.ports]).toEqual([true, true, ['dryRun', 'hooks', 'nodes']]);
});
