// Helpers of the conformance cases: their kind, one namespace, and short assertions.
import { randomUUID } from 'node:crypto';
import {
  type Answer,
  type ApiFailure,
  type Intent,
  type Kubernetes,
  type ObjectRef,
  toRef,
  type Unstructured,
  type WatchQuery,
} from '@capi-serverless/apimachinery';
import { expect } from 'vitest';

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

/** Returns a name that no other case uses, so that cases can run in any order. */
export function freshName(prefix = 'w'): string {
  return `${prefix}-${randomUUID().slice(0, 8)}`;
}

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

/** Returns the value of a result that must be a success. */
export function expectValue<T>(answer: Answer<T>): T {
  if (!answer.ok) {
    throw new Error(`Expected success, but the answer was ${JSON.stringify(answer.failure)}`);
  }
  return answer.value;
}

/** Returns the failure of a result that must be a failure. */
export function expectFailure(answer: Answer<unknown>): ApiFailure {
  expect(answer.ok).toBe(false);
  if (answer.ok) {
    throw new Error('Expected a failure');
  }
  const { reason, notServed = false } = answer.failure;
  expect(answer.missing).toBe(reason === 'NotFound' && !notServed);
  return answer.failure;
}
