// An installation of upstream's webhooks and conversion, in memory.
import {
  type Answer,
  crdNameOf,
  type JsonObject,
  type ObjectRef,
  type Unstructured,
} from '@capi-serverless/apimachinery';
import { applyMergePatch } from '@capi-serverless/apimachinery/json-patch';
import type { decideTakeOver } from '../../../../cli/webhooks/take-over.ts';
import { toWebhookConfigurations } from '../../../../infra/kubernetes/webhook-configurations.ts';
import { convertibleKinds } from '../../../../shared/conversion/kinds.ts';

export const injection = { 'cert-manager.io/inject-ca-from': 'capi-system/capi-serving-cert' };
const caBundle = 'dXBzdHJlYW0=';
export const service = { namespace: 'capi-system', name: 'capi-webhook-service', port: 443 };
const answered = { url: 'https://h', certificateAuthority: undefined, failurePolicy: 'Fail' } as const;

const definitionRef = (name: string): ObjectRef => ({
  ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name },
});

/** The objects of an installation of upstream, and of a provider. */
export class UpstreamInstallation {
  readonly objects = new Map<string, Unstructured>();
  /** Runs before each write, with the name of the object. */
  meanwhile: ((name: string) => void) | undefined;

  constructor() {
    for (const { group, kind, olderVersions } of convertibleKinds) {
      const versions = [
        ...olderVersions.map(name => ({ name, served: true, storage: false })),
        { name: 'v1beta2', served: true, storage: true },
      ];
      const clientConfig = { service: { ...service, path: '/convert' }, caBundle };
      const conversion = {
        strategy: 'Webhook',
        webhook: { conversionReviewVersions: ['v1', 'v1beta1'], clientConfig },
      };
      this.put(definitionRef(crdNameOf({ group, kind })), {
        spec: { group, names: { kind }, versions, conversion },
        status: { storedVersions: ['v1beta2'] },
      });
    }
    for (const { apiVersion, kind, metadata, webhooks } of toWebhookConfigurations(answered)) {
      const ref = { apiVersion, kind, name: metadata.name };
      this.put(ref, {
        webhooks: webhooks.map(hook => ({
          ...hook,
          timeoutSeconds: 7,
          clientConfig: { service: { ...service, path: new URL(hook.clientConfig.url).pathname }, caBundle },
        })),
      });
    }
    this.addProvider('AMachine', 'v1beta1_v1beta2');
    this.setEndpoints(true);
  }

  put(ref: ObjectRef, rest: JsonObject, labels: Readonly<Record<string, string>> = {}): void {
    const { apiVersion, kind, name } = ref;
    const metadata = { name, uid: name, resourceVersion: '1', annotations: injection, labels };
    this.objects.set(`${kind}/${name}`, { apiVersion, kind, metadata, ...rest });
  }

  addProvider(kind: string, versions: string): void {
    const group = 'infrastructure.cluster.x-k8s.io';
    this.put(
      definitionRef(`${kind}.${group}`),
      { spec: { group, names: { kind } } },
      { 'cluster.x-k8s.io/v1beta2': versions },
    );
  }

  setEndpoints(ready: boolean): void {
    const ref = { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', name: 's' };
    this.put(ref, { endpoints: [{ conditions: { ready } }] }, { 'kubernetes.io/service-name': service.name });
  }

  find(kind: string, name: string): Unstructured {
    const found = this.objects.get(`${kind}/${name}`);
    if (found === undefined) {
      throw new Error(`There is no ${kind} ${name}`);
    }
    return found;
  }

  change(kind: string, name: string, patch: JsonObject): void {
    const { metadata, ...rest } = this.find(kind, name);
    // True: a merge patch keeps kind and metadata.
    const patched = applyMergePatch({ metadata, ...rest } as unknown as JsonObject, patch) as unknown as Unstructured;
    const resourceVersion = String(Number(metadata.resourceVersion) + 1);
    this.objects.set(`${kind}/${name}`, { ...patched, metadata: { ...patched.metadata, resourceVersion } });
  }

  readonly client = {
    get: async (ref: ObjectRef): Promise<Answer<never>> => this.#answer(this.objects.get(`${ref.kind}/${ref.name}`)),
    list: async (query: { readonly kind: string; readonly withLabels?: readonly string[] }): Promise<Answer<never>> =>
      this.#answer(
        [...this.objects.values()].filter(
          ({ kind, metadata }) =>
            kind === query.kind && (query.withLabels ?? []).every(label => label in (metadata.labels ?? {})),
        ),
      ),
    mergePatch: async (
      { kind, name }: ObjectRef,
      patch: JsonObject,
      { resourceVersion }: { readonly resourceVersion?: string } = {},
    ): Promise<Answer<never>> => {
      this.meanwhile?.(name);
      if (this.objects.get(`${kind}/${name}`)?.metadata.resourceVersion !== resourceVersion) {
        return {
          ok: false,
          missing: false,
          failure: { reason: 'Conflict', code: 409, message: 'was changed' },
        } as Answer<never>;
      }
      this.change(kind, name, patch);
      return this.#answer(this.find(kind, name));
    },
  } as unknown as Parameters<typeof decideTakeOver>[0]; // True: the commands call these three methods only.

  #answer(value: unknown): Answer<never> {
    return (value === undefined ? { ok: false, missing: true } : { ok: true, value }) as Answer<never>; // True: tests read it as what it is.
  }

  /** Everything but versions. */
  state(): unknown {
    return [...this.objects.values()].map(({ metadata: { resourceVersion: _, ...metadata }, ...rest }) => ({
      ...rest,
      metadata,
    }));
  }
}
