// The objects of the scenarios: ExtensionConfig ext1 in the in-memory API, its in-memory extension server, and the
// production kernel.

import { toRef, type Unstructured } from '@capi-serverless/apimachinery';
import { createExtensionConfigReconciler } from '../../../../functions/extensionconfig/reconciler.ts';
import { readExtensionConfig } from '../../../../shared/api/extension-config/reader.ts';
import { reconcile } from '../../../../shared/kernel/reconcile.ts';
import type { Reconciled } from '../../../../shared/kernel/reconciled.ts';
import { type Registration, toRegistry } from '../../../../shared/runtime-hooks/rules/registry.ts';
import { anExtensionConfig, type ExtensionConfigBuilder } from '../../../support/extension-config.ts';
import { type FakeAnswer, type FakeHooks, fakeHooks } from '../../../support/fake-hooks.ts';
import { aRecordingLog, type RecordedLine } from '../../../support/kernel.ts';
import { createMemoryApi, type MemoryApi } from '../../../support/memory-api.ts';
import { ObjectBuilder } from '../../../support/object-builder.ts';

export const hooksApiVersion = 'hooks.runtime.cluster.x-k8s.io/v1alpha1';
export const extensionUrl = 'https://ext1.example:8443';
export const pem = (name: string): string => `-----BEGIN CERTIFICATE-----\n${name}\n-----END CERTIFICATE-----\n`;
export const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Returns an ExtensionConfig whose Paused condition is set. */
export function aSettledConfig(): ExtensionConfigBuilder {
  return anExtensionConfig().withCondition('Paused', { status: 'False', reason: 'NotPaused', observedGeneration: 1 });
}

/** Returns Secret `ns/s`. */
export function aSecret(data: Readonly<Record<string, string>>): Unstructured {
  const secret = new ObjectBuilder({ apiVersion: 'v1', kind: 'Secret', name: 's' }).build();
  return { ...secret, data: Object.fromEntries(Object.entries(data).map(([key, text]) => [key, base64(text)])) };
}

interface DiscoveredParts {
  readonly name: string;
  readonly hook?: string;
  readonly apiVersion?: string;
  readonly timeoutSeconds?: number;
  readonly failurePolicy?: string;
}

/** Returns a valid Discovery answer. */
export function serving(...handlers: readonly DiscoveredParts[]): FakeAnswer {
  const listed = handlers.map(({ hook = 'DiscoverVariables', apiVersion = hooksApiVersion, ...handler }) => ({
    ...handler,
    requestHook: { apiVersion, hook },
  }));
  return {
    body: { apiVersion: hooksApiVersion, kind: 'DiscoveryResponse', status: 'Success', message: '', handlers: listed },
  };
}

interface World {
  readonly api: MemoryApi;
  readonly hooks: FakeHooks;
  readonly lines: readonly RecordedLine[];
  /** Sets the next answers of the extension server. */
  serve(answer: FakeAnswer): void;
  run(options?: {
    readonly maxPasses?: number;
    readonly runtimeSdk?: boolean;
    readonly deadline?: number;
  }): Promise<Reconciled>;
  /** Returns the stored object. */
  config(): Unstructured;
  /** Returns `True/Discovered`, with a space and the message if there is one. */
  condition(type: string): string | undefined;
  v1beta1(type: string): string | undefined;
  generationOf(type: string): number | undefined;
  handlers(): unknown;
  /** The full names of the handlers that other reconcilers find. */
  registered(): readonly Registration[];
  /** Returns the writes since the last call, without bodies. */
  takeWrites(): readonly string[];
}

export const ref = toRef(anExtensionConfig().build());

export function aWorld(...objects: readonly (Unstructured | { build(): Unstructured })[]): World {
  const api = createMemoryApi();
  const hooks = fakeHooks({ clock: api.clock });
  const log = aRecordingLog();
  api.given(...objects);
  const status = () => readExtensionConfig(api.read(ref)).status;
  return {
    api,
    hooks,
    lines: log.lines,
    serve: answer => hooks.answer(extensionUrl, 'discovery', answer),
    run: ({ runtimeSdk = true, ...more } = {}) =>
      reconcile(
        {
          reconciler: createExtensionConfigReconciler({ runtimeSdk }),
          kubernetes: api.kubernetes,
          ports: { hooks },
          clock: api.clock,
          signal: new AbortController().signal,
          log,
          watchFilter: '',
          ...more,
        },
        ref,
      ),
    config: () => api.read(ref),
    condition: type => describe(status().conditions.find(each => each.type === type)),
    v1beta1: type => describe(status().deprecated.v1beta1.conditions.find(each => each.type === type)),
    generationOf: type => status().conditions.find(each => each.type === type)?.observedGeneration,
    handlers: () => (api.read(ref).status as { handlers?: unknown } | undefined)?.handlers, // true: it is a kind of this project
    registered: () => toRegistry(api.find(ref) === undefined ? [] : [readExtensionConfig(api.read(ref))]).registrations,
    takeWrites: () => {
      const writes = api.calls.writes.map(line => line.replace(/ \{.*\}/s, ''));
      api.calls.reset();
      return writes;
    },
  };
}

function describe(
  condition:
    | { readonly status: string; readonly severity?: string; readonly reason?: string; readonly message?: string }
    | undefined,
): string | undefined {
  if (condition === undefined) {
    return undefined;
  }
  const { status, severity, reason, message = '' } = condition;
  const head = [status, severity, reason].filter(part => part !== undefined).join('/');
  return message === '' ? head : `${head} ${message}`;
}

/** Returns the text of a failed result. */
export function errorOf({ result }: Reconciled): string {
  return result.kind === 'failed' ? result.error.message : `no error but ${result.kind}`;
}
