// The objects of the scenarios: ClusterClass ns/cc in the in-memory API, its templates, and extension servers.

import { type ObjectRef, type OwnerReference, toRef, type Unstructured, valueAt } from '@capi-serverless/apimachinery';
import { createClusterClassReconciler } from '../../../../functions/clusterclass/reconciler.ts';
import type { ClusterClassSettings } from '../../../../functions/clusterclass/seen.ts';
import { reconcile } from '../../../../shared/kernel/reconcile.ts';
import { type TemplateOrReference, templates, toTemplateRef } from '../../../support/cluster-class.ts';
import { anExtensionConfig, type ExtensionConfigBuilder } from '../../../support/extension-config.ts';
import { type FakeHooks, fakeHooks } from '../../../support/fake-hooks.ts';
import { aRecordingLog } from '../../../support/kernel.ts';
import { createMemoryApi, type MemoryApi, type MemoryApiOptions } from '../../../support/memory-api.ts';
import { type Built, built } from '../../../support/object-builder.ts';
import { conditionIn, conditionText, resultText } from '../../../support/result-text.ts';

export const logs = 'Please check controller logs for errors';
export const classRef: ObjectRef = {
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'ClusterClass',
  namespace: 'ns',
  name: 'cc',
};

export interface ClusterClassWorldOptions extends MemoryApiOptions {
  /** The templates. Default: one for each purpose. */
  readonly templates?: readonly Built<Unstructured>[];
  /** The settings. Default: extensions are called. */
  readonly settings?: Partial<ClusterClassSettings>;
}

export interface ReconciledClass {
  /** The result: `done`, `again`, or the error's text. */
  readonly result: string;
  /** True if the reconcile failed and will be retried. */
  readonly isRetried: boolean;
  readonly passes: number;
  /** The writes without bodies: `patch SimulatedMachineTemplate ns/cp-machine`. */
  readonly writes: readonly string[];
  /** The class as stored afterwards. Undefined if there is no such class. */
  readonly object: Unstructured | undefined;
  condition(type: string): string | undefined;
  v1beta1(type: string): string | undefined;
  /** Returns the observed generation of the condition. */
  generationOf(type: string): number | undefined;
  readonly observedGeneration: number | undefined;
  /** The stored `status.variables`. */
  readonly variables: unknown;
}

export interface ClusterClassWorld {
  readonly api: MemoryApi;
  readonly hooks: FakeHooks;
  /** Runs one pass. */
  pass(): Promise<ReconciledClass>;
  /** Runs passes until the class is settled, like one invocation. */
  settle(of?: ObjectRef): Promise<ReconciledClass>;
  ownersOf(template: TemplateOrReference): readonly OwnerReference[];
  /** Sends a merge patch as another writer. */
  change(body: Readonly<Record<string, unknown>>, of?: ObjectRef): Promise<void>;
  changeStatus(body: Readonly<Record<string, unknown>>): Promise<void>;
}

/** `undefined` means that there is no class. */
export function aWorld(
  clusterClass: Built<Unstructured> | undefined,
  options: ClusterClassWorldOptions = {},
): ClusterClassWorld {
  const { templates: given = Object.values(templates), settings, ...apiOptions } = options;
  const api = createMemoryApi(apiOptions);
  const hooks = fakeHooks({ clock: api.clock });
  const reconciler = createClusterClassReconciler({ callsExtensions: true, ...settings });
  api.given(...given, ...(clusterClass === undefined ? [] : [clusterClass]));
  const run = async (of: ObjectRef, maxPasses?: number): Promise<ReconciledClass> => {
    const { result, passes, defect } = await reconcile(
      {
        reconciler,
        kubernetes: api.kubernetes,
        ports: { hooks },
        clock: api.clock,
        signal: new AbortController().signal,
        log: aRecordingLog(),
        watchFilter: '',
        ...(maxPasses === undefined ? {} : { maxPasses }),
      },
      of,
    );
    if (defect !== undefined) {
      throw defect;
    }
    const writes = api.calls.writes.map(line => line.replace(/ \{.*\}/, ''));
    api.calls.reset();
    const isRetried = result.kind === 'failed' && !result.terminal;
    return toReconciled(api.find(of), { result: resultText(result), isRetried, passes, writes });
  };
  const change = async (ref: ObjectRef, body: Readonly<Record<string, unknown>>, options = {}): Promise<void> => {
    const answer = await api.others.mergePatch(ref, body, { fieldManager: 'user', ...options });
    if (!answer.ok) {
      throw new Error(answer.failure.message);
    }
  };
  return {
    api,
    hooks,
    pass: () => run(classRef, 1),
    settle: (of = classRef) => run(of),
    ownersOf: template => api.read({ ...toTemplateRef(template), namespace: 'ns' }).metadata.ownerReferences ?? [],
    change: (body, of = classRef) => change(of, body),
    changeStatus: body => change(classRef, { status: body }, { subresource: 'status' }),
  };
}

function toReconciled(
  object: Unstructured | undefined,
  run: Pick<ReconciledClass, 'result' | 'isRetried' | 'passes' | 'writes'>,
): ReconciledClass {
  const status = object?.status;
  const conditions = valueAt(status, 'conditions');
  const v1beta1 = valueAt(status, 'deprecated.v1beta1.conditions');
  const observedGeneration = valueAt(status, 'observedGeneration');
  return {
    ...run,
    object,
    condition: type => conditionText(conditionIn(conditions, type)),
    v1beta1: type => conditionText(conditionIn(v1beta1, type)),
    generationOf: type => conditionIn(conditions, type)?.observedGeneration,
    observedGeneration: typeof observedGeneration === 'number' ? observedGeneration : undefined,
    variables: valueAt(status, 'variables'),
  };
}

/** The owner reference of a class on its templates. */
export function ownerOf(object: Unstructured | undefined): OwnerReference {
  const { name = '', uid = '' } = object?.metadata ?? {};
  return { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'ClusterClass', name, uid };
}

export function refOf(template: Built<Unstructured>): ObjectRef {
  return toRef(built(template));
}

export const extensionUrl = 'https://ext1.example:8443';

/** ExtensionConfig `ext1` with these handlers for DiscoverVariables. */
export function anExtension(...handlers: readonly string[]): ExtensionConfigBuilder {
  return anExtensionConfig().withStatus({
    handlers: handlers.map(handler => ({
      name: `${handler}.ext1`,
      requestHook: { apiVersion: 'hooks.runtime.cluster.x-k8s.io/v1alpha1', hook: 'DiscoverVariables' },
      failurePolicy: 'Fail',
    })),
  });
}

/** The handler answers with these variables from now on. */
export function answerVariables(hooks: FakeHooks, handler: string, variables: readonly unknown[]): void {
  hooks.answer(extensionUrl, `discovervariables/${handler}`, {
    body: { apiVersion: 'hooks.runtime.cluster.x-k8s.io/v1alpha1', status: 'Success', variables },
  });
}
