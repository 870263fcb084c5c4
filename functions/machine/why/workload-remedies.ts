// Commands for the workload cluster of a Machine, and what to do if it does not answer. Pure.
import { toDisplayName } from '@capi-serverless/apimachinery';
import { readWholeMachine } from '../../../shared/api/machine/whole-machine.ts';
import type { MachineSnapshot } from './machine-snapshot.ts';

type Of = Pick<MachineSnapshot, 'machine'>;

function clusterOf({ machine }: Of): { readonly namespace: string; readonly name: string } {
  const { metadata, spec } = readWholeMachine(machine);
  return { namespace: metadata.namespace, name: spec.clusterName };
}

/** The kubeconfig is written to a file in the current folder first. */
export function onWorkload(of: Of, command: string): string {
  const { namespace, name } = clusterOf(of);
  const file = `${name}.kubeconfig`;
  return `kubectl get secret -n ${namespace} ${name}-kubeconfig -o jsonpath='{.data.value}' | base64 -d > ${file} && kubectl --kubeconfig ${file} ${command}`;
}

/** The Cluster reports the connection. */
export function connectRemedy(of: Of): readonly string[] {
  return [
    `see whether the workload cluster answers: ${onWorkload(of, 'get --raw /')}`,
    `see what its Cluster reports: npx capi-serverless why ${toDisplayName(clusterOf(of))}`,
  ];
}
