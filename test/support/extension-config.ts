// ExtensionConfigs for tests.
import { fieldsOf, ObjectBuilder } from './object-builder.ts';

export class ExtensionConfigBuilder extends ObjectBuilder {
  /** Uses this URL instead of a Service. */
  withUrl(url: string): this {
    return this.withClientConfig({ url, service: undefined });
  }

  withService(service: {
    readonly name: string;
    readonly namespace: string;
    readonly path?: string;
    readonly port?: number;
  }): this {
    return this.withClientConfig({ service, url: undefined });
  }

  /** Text such as PEM. Stored as base64. */
  withCaBundle(text: string): this {
    return this.withClientConfig({ caBundle: Buffer.from(text).toString('base64') });
  }

  /** Sets the annotation that injects the `ca.crt` of this Secret: `<namespace>/<name>`. */
  injectingCaFrom(secret: string): this {
    return this.annotated({ 'runtime.cluster.x-k8s.io/inject-ca-from-secret': secret });
  }

  paused(): this {
    return this.annotated({ 'cluster.x-k8s.io/paused': '' });
  }

  private withClientConfig(fields: Readonly<Record<string, unknown>>): this {
    const clientConfig = { ...fieldsOf(fieldsOf(this.object.spec)['clientConfig']), ...fields };
    const given = Object.entries(clientConfig).filter(([, value]) => value !== undefined);
    return this.withSpec({ clientConfig: Object.fromEntries(given) });
  }
}

/** Returns `ext1` at https://ext1.example:8443, for all namespaces. */
export function anExtensionConfig(): ExtensionConfigBuilder {
  return new ExtensionConfigBuilder({
    apiVersion: 'runtime.cluster.x-k8s.io/v1beta2',
    kind: 'ExtensionConfig',
    name: 'ext1',
  })
    .clusterScoped()
    .withSpec({ namespaceSelector: {} })
    .withUrl('https://ext1.example:8443');
}
