import {
  type Intent,
  type Kubernetes,
  type ObjectRef,
  toRef,
  type Unstructured,
  type WatchQuery,
} from '@capi-serverless/apimachinery';
import { expectValue, freshName } from '../answers.ts';

export interface KubernetesWorld {
  readonly kubernetes: Kubernetes;
  /** The namespace of the cases. It contains only objects that the cases create. */
  readonly namespace: string;
}

/** Cases are declared before the world exists, so they call this function when they run. */
export type AskWorld = () => KubernetesWorld;

const group = 'conformance.example.com';
export const widgetKind = { apiVersion: `${group}/v1`, kind: 'Widget' } as const;

/** The definition that `install` receives: namespaced, with a status subresource, a selectable field, an enum, a default and lists. */
export const widgetCrd: Intent = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `widgets.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { kind: 'Widget', listKind: 'WidgetList', plural: 'widgets', singular: 'widget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        selectableFields: [{ jsonPath: '.spec.note' }],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  mode: { type: 'string', enum: ['Plain', 'Fancy'], default: 'Plain' },
                  size: { type: 'integer', minimum: 0 },
                  note: { type: 'string' },
                  parts: { type: 'array', items: { type: 'string' } },
                },
              },
              status: {
                type: 'object',
                properties: { phase: { type: 'string' }, count: { type: 'integer' } },
              },
            },
          },
        },
      },
    ],
  },
};

interface WidgetParts {
  readonly name?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
}

export function aWidget(world: KubernetesWorld, parts: WidgetParts = {}): Intent {
  const { name = freshName(), labels, finalizers, spec = { size: 1 }, status } = parts;
  return {
    ...widgetKind,
    metadata: {
      name,
      namespace: world.namespace,
      ...(labels === undefined ? {} : { labels }),
      ...(finalizers === undefined ? {} : { finalizers }),
    },
    spec,
    ...(status === undefined ? {} : { status }),
  };
}

export async function createWidget(world: KubernetesWorld, parts: WidgetParts = {}): Promise<Unstructured> {
  return expectValue(await world.kubernetes.create(aWidget(world, parts)));
}

export function widgetRef(world: KubernetesWorld, name: string): ObjectRef {
  return { ...widgetKind, namespace: world.namespace, name };
}

export async function readWidget(world: KubernetesWorld, widget: Unstructured): Promise<Unstructured> {
  return expectValue(await world.kubernetes.get(toRef(widget)));
}

export function widgetQuery(world: KubernetesWorld, parts: Partial<WatchQuery> = {}): WatchQuery {
  return { ...widgetKind, namespace: world.namespace, as: 'object', ...parts };
}
