// MachineSets and templates for the tests of updates in place.

import type { Intent, Unstructured } from '@capi-serverless/apimachinery';
import type { SetObjects } from '../../../../../functions/machinedeployment/plan/in-place/set-objects.ts';
import { fieldsOf, ObjectBuilder } from '../../../../support/object-builder.ts';

export const infrastructureGroup = 'infrastructure.cluster.x-k8s.io';
export const bootstrapGroup = 'bootstrap.cluster.x-k8s.io';

export function aTemplate(kind: 'FooMachineTemplate' | 'FooConfigTemplate', name: string, spec: unknown): Unstructured {
  const group = kind === 'FooMachineTemplate' ? infrastructureGroup : bootstrapGroup;
  return new ObjectBuilder({ apiVersion: `${group}/v1beta2`, kind, name })
    .labelled({ label: name })
    .annotated({ annotation: name })
    .withSpec({ template: { spec } })
    .withStatus({ secret: 'status' })
    .build();
}

export function aSetIntent(name: string, template: object, uid?: string): Intent {
  return {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'MachineSet',
    metadata: {
      ...{ name, namespace: 'ns', labels: { label: name }, annotations: { annotation: name } },
      ...{ ownerReferences: [], finalizers: ['x'], ...(uid === undefined ? {} : { uid, resourceVersion: '7' }) },
    },
    spec: { replicas: 3, template: { spec: template } },
  };
}

interface Given {
  readonly version?: string;
  readonly failureDomain?: string;
  readonly hello?: string;
  readonly hasBootstrap?: boolean;
}

const refTo = (object: Unstructured, apiGroup: string) => ({
  apiGroup,
  kind: object.kind,
  name: object.metadata.name,
});

/** MachineSet ms<number> with the templates it<number> and bt<number>. */
export function setObjects(number: number, { hello, hasBootstrap = true, ...template }: Given = {}): SetObjects {
  const spec = { hello: hello ?? 'same' };
  const infrastructure = aTemplate('FooMachineTemplate', `it${number}`, spec);
  const bootstrap = hasBootstrap ? aTemplate('FooConfigTemplate', `bt${number}`, spec) : undefined;
  const refs = {
    infrastructureRef: refTo(infrastructure, infrastructureGroup),
    bootstrap: bootstrap === undefined ? { dataSecretName: 's' } : { configRef: refTo(bootstrap, bootstrapGroup) },
  };
  const own = { version: 'v1.31.0', failureDomain: 'a', clusterName: 'c1', taints: [number], ...template, ...refs };
  return { set: aSetIntent(`ms${number}`, own, `u-ms${number}`), infrastructure, bootstrap };
}

/** The spec of the Machine template. */
export function specOf(object: Intent): Readonly<Record<string, unknown>> {
  return fieldsOf(fieldsOf(fieldsOf(object['spec'])['template'])['spec']);
}
