// MachineDeployments and MachineSets of a managed topology, with their templates.

import { type ObjectRef, toRef } from '@capi-serverless/apimachinery';
import type { Reconciler } from '@capi-serverless/reconciler';
import type { SimulatedProviderReconciler } from '../../local/provider/simulated-loss.ts';
import { reconcile } from '../../shared/kernel/reconcile.ts';
import type { Reconciled } from '../../shared/kernel/reconciled.ts';
import { aMachineDeployment, aMachineSet, type MachineCollectionBuilder } from './builders.ts';
import { aRecordingLog } from './kernel.ts';
import type { MemoryApi } from './memory-api.ts';
import { type Built, built, fieldsOf, ObjectBuilder } from './object-builder.ts';

export const owned = {
  'topology.cluster.x-k8s.io/owned': '',
  'topology.cluster.x-k8s.io/deployment-name': 'workers',
  'cluster.x-k8s.io/cluster-name': 'c1',
};

/** Returns `ns/<name>`: an infrastructure template of Machines. */
export function aMachineTemplate(name: string): ObjectBuilder {
  const apiVersion = 'infrastructure.cluster.x-k8s.io/v1beta2';
  const template = new ObjectBuilder({ apiVersion, kind: 'SimulatedMachineTemplate', name });
  return template.withSpec({ template: { spec: {} } }).labelled(owned);
}

/** Returns `ns/<name>`: a bootstrap template of Machines. */
function aBootstrapTemplate(name: string): ObjectBuilder {
  const apiVersion = 'bootstrap.cluster.x-k8s.io/v1beta2';
  const template = new ObjectBuilder({ apiVersion, kind: 'SimulatedBootstrapConfigTemplate', name });
  return template.withSpec({ template: { spec: {} } }).labelled(owned);
}

/** Sets the templates of Machines to `<name>-infra` and `<name>-boot`. */
export function fromTemplates(collection: MachineCollectionBuilder, name: string): MachineCollectionBuilder {
  const template = fieldsOf(fieldsOf(collection.build().spec)['template']);
  const spec = {
    ...fieldsOf(template['spec']),
    bootstrap: {
      configRef: {
        apiGroup: 'bootstrap.cluster.x-k8s.io',
        kind: 'SimulatedBootstrapConfigTemplate',
        name: `${name}-boot`,
      },
    },
    infrastructureRef: {
      apiGroup: 'infrastructure.cluster.x-k8s.io',
      kind: 'SimulatedMachineTemplate',
      name: `${name}-infra`,
    },
  };
  return collection.withSpec({ template: { ...template, spec } });
}

export function templatesNamed(...names: readonly string[]): readonly ObjectBuilder[] {
  return names.flatMap(name => [aMachineTemplate(`${name}-infra`), aBootstrapTemplate(`${name}-boot`)]);
}

/** Returns MachineDeployment `ns/<name>` with the templates `<templates>-infra` and `<templates>-boot`. */
export function anOwnedDeployment(name = 'md1', templates = name): MachineCollectionBuilder {
  return fromTemplates(aMachineDeployment().named(name).labelled(owned), templates);
}

/** Returns MachineSet `ns/<name>` of MachineDeployment `deployment`. */
export function anOwnedSet(name: string, deployment: Built, templates: string): MachineCollectionBuilder {
  const labels = { ...owned, 'cluster.x-k8s.io/deployment-name': built(deployment).metadata.name };
  return fromTemplates(aMachineSet().named(name).labelled(labels), templates).ownedBy(deployment, { controller: true });
}

/** Returns the result of one invocation of a reconciler for an object. */
export function invoke<Seen extends object>(
  reconciler: Reconciler<object, Seen> | SimulatedProviderReconciler,
  api: MemoryApi,
  of: Built | ObjectRef,
): Promise<Reconciled> {
  const ref = 'name' in of ? of : toRef(built(of));
  const context = {
    // True: both reconcilers need only reads.
    reconciler: reconciler as Reconciler<object, object>,
    kubernetes: api.kubernetes,
    ports: {},
    clock: api.clock,
    signal: new AbortController().signal,
    log: aRecordingLog(),
    watchFilter: '',
  };
  return reconcile(context, ref);
}
