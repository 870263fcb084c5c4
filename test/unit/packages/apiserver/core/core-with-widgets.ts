// The core with a test kind, and shorthand requests.
import { type ApiCore, type ApiCoreOptions, createApiCore } from '../../../../../packages/apiserver/core/api-core.ts';
import type { Address, ResourceEndpoint } from '../../../../../packages/apiserver/core/kinds.ts';
import { type Status, StatusError } from '../../../../../packages/apiserver/core/status.ts';
import type { ResourceWatch } from '../../../../../packages/apiserver/core/watch.ts';
import { countingIds, installCrd } from '../../../../support/memory-api.ts';
import { SteppedClock } from '../../../../support/stepped-clock.ts';

const group = 'unit.example.com';
export const namespace = 'ns';

const freeForm = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

export const widgetCrd = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `widgets.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { kind: 'Widget', plural: 'widgets' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: freeForm, status: freeForm } } },
      },
      {
        name: 'v1alpha1',
        served: true,
        storage: false,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: freeForm, status: freeForm } } },
      },
    ],
  },
};

export interface ApiCoreWorld {
  readonly core: ApiCore;
  readonly clock: SteppedClock;
  readonly widgets: ResourceEndpoint;
}

/** Returns a core with the namespace `ns` and the kind Widget. */
export function aWorld(options: Partial<ApiCoreOptions> = {}): ApiCoreWorld {
  const clock = new SteppedClock();
  const core = createApiCore({ now: () => clock.now(), ids: countingIds(), ...options });
  installCrd(core, widgetCrd);
  core.create(endpointOf(core, 'v1', 'Namespace'), '', aNamespace(namespace));
  return { core, clock, widgets: core.registry.endpointOfResource(group, 'v1', 'widgets') };
}

export function aNamespace(name: string): object {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
}

export function endpointOf(core: ApiCore, apiVersion: string, kind: string): ResourceEndpoint {
  return core.registry.endpointOfKind(apiVersion, kind);
}

export function aWidget(
  name: string,
  parts: { readonly metadata?: object; readonly [field: string]: unknown } = {},
): object {
  return {
    apiVersion: `${group}/v1`,
    kind: 'Widget',
    spec: { size: 1 },
    ...parts,
    metadata: { name, namespace, ...parts.metadata },
  };
}

export function at(endpoint: ResourceEndpoint, name: string, inNamespace = namespace): Address {
  return { endpoint, namespace: endpoint.resource.namespaced ? inNamespace : '', name };
}

/** Returns the Status of the refusal. */
export function refusalOf(request: () => unknown): Status {
  try {
    request();
  } catch (error) {
    if (error instanceof StatusError) {
      return error.status;
    }
    throw error;
  }
  throw new Error('The request was not refused');
}

/** Returns `reason field` of every cause. */
export function causesOf(request: () => unknown): readonly string[] {
  return (refusalOf(request).details?.causes ?? []).map(cause => `${cause.reason} ${cause.field ?? ''}`.trim());
}

/** Returns all available events of the watch in the form `TYPE name@version`. */
export function drain(watch: ResourceWatch): readonly string[] {
  const reported: string[] = [];
  for (let step = watch.next(); step !== 'idle'; step = watch.next()) {
    if (step === 'ended') {
      return [...reported, 'ended'];
    }
    reported.push(`${step.type} ${step.object.metadata.name}@${step.object.metadata.resourceVersion}`);
  }
  return reported;
}
