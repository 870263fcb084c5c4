// The additional rights of the watch-forwarder if it watches the Nodes of workload clusters. Apply them only then.
import type { PolicyRule } from '@capi-serverless/reconciler';
import { forwarderProgram } from '../function-plans.ts';
import { forwarderAccount } from './identities.ts';
import { toClusterBinding, toRole } from './roles.ts';

const name = `${forwarderProgram.name}-nodes`;

const rules: readonly PolicyRule[] = [
  {
    apiGroups: [''],
    resources: ['secrets'],
    verbs: ['get'],
    why: 'reads <cluster>-kubeconfig, to watch the Nodes of the workload cluster',
  },
];

export const forwarderNodesRole = toRole({ name, rules });

export const forwarderNodesBinding = toClusterBinding(name, { kind: 'account', ...forwarderAccount });
