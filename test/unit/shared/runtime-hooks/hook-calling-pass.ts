// One pass of a reconciler that calls hooks, with objects to read and extension servers to call.
import type { Instant, ObjectMeta, Unstructured } from '@capi-serverless/apimachinery';
import { type HookCalls, hooksOf } from '../../../../shared/runtime-hooks/calls.ts';
import { anExtensionConfig, type ExtensionConfigBuilder } from '../../../support/extension-config.ts';
import { type FakeHooks, fakeHooks } from '../../../support/fake-hooks.ts';
import { type FakeReads, fakeReads, type ReadFault } from '../../../support/fake-reads.ts';
import { aRecordingLog } from '../../../support/kernel.ts';
import { type Built, ObjectBuilder, testStart } from '../../../support/object-builder.ts';

export const extensionUrl = 'https://ext1.example:8443';

/** The object for which hooks are called. */
export const subject: Pick<ObjectMeta, 'name' | 'namespace'> = { namespace: 'ns', name: 'c1' };

export interface HandlerParts {
  /** The short name. The name of the ExtensionConfig is appended. */
  readonly name: string;
  readonly hook: string;
  readonly apiVersion?: string;
  readonly timeoutSeconds?: number;
  readonly failurePolicy?: string;
}

/** Returns an ExtensionConfig in the state after discovery. Default for `name`: `ext1`. */
export function aDiscovered(handlers: readonly HandlerParts[], name = 'ext1'): ExtensionConfigBuilder {
  return anExtensionConfig()
    .named(name)
    .withUrl(extensionUrl)
    .withStatus({ handlers: handlers.map(handler => toStatus(handler, name)) })
    .withCondition('Discovered');
}

function toStatus(
  { name, hook, apiVersion = 'hooks.runtime.cluster.x-k8s.io/v1alpha1', ...rest }: HandlerParts,
  of: string,
) {
  return { name: `${name}.${of}`, requestHook: { apiVersion, hook }, failurePolicy: 'Fail', ...rest };
}

export function aNamespace(name: string, labels: Readonly<Record<string, string>>): ObjectBuilder {
  return new ObjectBuilder({ apiVersion: 'v1', kind: 'Namespace', name }).clusterScoped().labelled(labels);
}

interface World {
  readonly calls: HookCalls;
  readonly hooks: FakeHooks;
  readonly reads: FakeReads;
  readonly log: ReturnType<typeof aRecordingLog>;
  /** Runs another pass with the same objects in the same process. */
  again(objects?: readonly Built<Unstructured>[]): HookCalls;
}

interface WorldOptions {
  readonly hooks?: FakeHooks;
  readonly faults?: readonly ReadFault[];
  readonly deadline?: Instant;
}

export function aWorld(objects: readonly Built<Unstructured>[], options: WorldOptions = {}): World {
  const { hooks = fakeHooks(), faults = [], deadline } = options;
  const reads = fakeReads(objects, faults);
  const log = aRecordingLog();
  const { signal } = new AbortController();
  const pass = { number: 1, now: testStart, signal, log, ...(deadline === undefined ? {} : { deadline }) };
  const again = (changed = objects): HookCalls =>
    hooksOf({ ...(changed === objects ? reads : fakeReads(changed, faults)), hooks }, pass);
  return { calls: again(), hooks, reads, log, again };
}

/** Returns the error of a call, or '' if there is none. */
export function errorOf(answer: { readonly ok: boolean; readonly error?: string }): string {
  return answer.error ?? '';
}
