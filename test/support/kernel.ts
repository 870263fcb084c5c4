// Small reconcilers and a recording log, for tests of the kernel.
import type { Intent, ObjectMeta, ObjectRef, Unstructured } from '@capi-serverless/apimachinery';
import type { DeclarationOf, Log, LogFields, Reconciler } from '@capi-serverless/reconciler';

export const widgetKind = {
  group: 'conformance.example.com',
  version: 'v1',
  kind: 'Widget',
  scope: 'Namespaced',
} as const;

export function aDeclaration(change: Partial<DeclarationOf<never>> = {}): DeclarationOf<never> {
  return {
    name: 'widget',
    primary: widgetKind,
    timeoutSeconds: 30,
    fieldManager: 'capi-serverless',
    eventSource: 'widget-controller',
    owns: { conditions: ['Ready'], v1beta1: [], status: ['phase'] },
    ports: [],
    rules: [],
    watches: [],
    ...change,
  };
}

export interface SeenWidget {
  readonly primary: Unstructured;
  readonly pass: number;
}

/** A reconciler that reads its primary and does nothing. Tests override parts of it. */
export function aReconciler(change: Partial<Reconciler<object, SeenWidget>> = {}): Reconciler<object, SeenWidget> {
  return {
    declaration: aDeclaration(),
    observe: async (primary, _ask, pass) => ({ primary, pass: pass.number }),
    decide: () => [],
    report: () => ({ events: [], result: { kind: 'done' } }),
    ...change,
  };
}

export interface RecordedLine extends LogFields {
  readonly level: 'debug' | 'info' | 'error';
  readonly message: string;
}

/** A log that keeps its lines. */
export function aRecordingLog(
  fields: LogFields = {},
  lines: RecordedLine[] = [],
): Log & { readonly lines: readonly RecordedLine[] } {
  const keep = (level: RecordedLine['level'], message: string, more: LogFields = {}): void => {
    lines.push({ ...fields, ...more, level, message });
  };
  return {
    lines,
    debug: (message, more) => keep('debug', message, more),
    info: (message, more) => keep('info', message, more),
    error: (message, error, more) =>
      keep('error', message, { error: error instanceof Error ? error.message : error, ...more }),
    with: more => aRecordingLog({ ...fields, ...more }, lines),
  };
}

/** The definition of `widgetKind`: any spec and status, with the status subresource. */
export const widgetCrd: Intent = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.conformance.example.com' },
  spec: {
    group: widgetKind.group,
    scope: 'Namespaced',
    names: { kind: 'Widget', plural: 'widgets' },
    versions: [
      {
        name: widgetKind.version,
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        subresources: { status: {} },
      },
    ],
  },
};

export const widgetRef: ObjectRef = {
  apiVersion: 'conformance.example.com/v1',
  kind: 'Widget',
  namespace: 'ns',
  name: 'w1',
};

/** A widget to store in the memory API. */
export function aWidget(
  change: { readonly metadata?: Partial<ObjectMeta>; readonly spec?: unknown; readonly status?: unknown } = {},
): Unstructured {
  const { metadata, ...rest } = change;
  return {
    apiVersion: widgetRef.apiVersion,
    kind: widgetRef.kind,
    metadata: { name: 'w1', namespace: 'ns', uid: '', resourceVersion: '', ...metadata },
    ...rest,
  };
}
