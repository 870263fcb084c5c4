// Sets the condition UpToDate of the Machines of simulated control planes, as control plane providers do. Other
// Machines get it from the Machine reconciler.
import { type Name, toRecord, type Unstructured } from '@capi-serverless/apimachinery';
import { setCondition, storedConditions } from '@capi-serverless/cluster-api/conditions';
import type { Action, Reconciler } from '@capi-serverless/reconciler';
import type { SimulatedProviderReconciler } from '../simulated-loss.ts';
import { patch } from './clone.ts';
import { coreGroup, coreKind } from './machine-controller.ts';
import { controllerOf, isDeleting } from './read.ts';

/** The annotation of a Machine that its control plane will replace. The value is the reason. */
const outdatedAnnotation = 'simulated.capi-serverless.dev/outdated';

/** Sets or removes the annotation of a Machine that must be replaced. */
export function markOutdated(machine: Unstructured, why: string | undefined): readonly Action[] {
  return machine.metadata.annotations?.[outdatedAnnotation] === why
    ? []
    : [patch(machine, 'mark', { metadata: { annotations: { [outdatedAnnotation]: why ?? null } } })];
}

const primary = coreKind('Machine');

const reconciler: Reconciler<object, { readonly machine: Unstructured }> = {
  declaration: {
    name: 'simulated-control-plane-machine',
    primary,
    timeoutSeconds: 30,
    fieldManager: 'simulated-control-plane-machine',
    eventSource: 'simulated-control-plane',
    owns: { conditions: ['UpToDate'], v1beta1: [], status: [] },
    ports: [],
    rules: [
      {
        apiGroups: [coreGroup],
        resources: ['machines'],
        verbs: ['get', 'list', 'watch'],
        why: 'reads which Machines of control planes are outdated',
      },
      { apiGroups: [coreGroup], resources: ['machines/status'], verbs: ['patch'], why: 'reports UpToDate' },
    ],
    watches: [{ source: primary, as: 'metadata', map: ({ object }): readonly Name[] => toNames(object) }],
  },
  observe: async machine =>
    controllerOf(machine)?.kind === 'SimulatedControlPlane' && !isDeleting(machine)
      ? { machine }
      : { stop: 'not a Machine of a simulated control plane' },
  decide: () => [],
  report({ machine }, _outcomes, now) {
    const { generation, annotations = {} } = machine.metadata;
    const why = annotations[outdatedAnnotation];
    const draft =
      why === undefined
        ? ({ type: 'UpToDate', status: 'True', reason: 'UpToDate' } as const)
        : ({ type: 'UpToDate', status: 'False', reason: 'NotUpToDate', message: `* ${why}` } as const);
    const status = toRecord(machine.status);
    const conditions = setCondition(storedConditions(status['conditions']), draft, { generation, now });
    return { status: { status: { ...status, conditions } }, events: [], result: { kind: 'done' } };
  },
};

export const simulatedControlPlaneMachine = reconciler as SimulatedProviderReconciler;

function toNames(object: Pick<Unstructured, 'metadata'>): readonly Name[] {
  const { namespace = '', name } = object.metadata;
  return controllerOf(object)?.kind === 'SimulatedControlPlane' ? [{ namespace, name }] : [];
}
