// Secrets of Clusters in the scenarios: certificate authorities and kubeconfigs.
import { ObjectBuilder } from '../../../support/object-builder.ts';

export const base64 = (text: string): string => Buffer.from(text).toString('base64');

export class SecretBuilder extends ObjectBuilder {
  holding(texts: Readonly<Record<string, string>>): this {
    const data = Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, base64(text)]));
    return this.with({ data });
  }

  ofType(type: string): this {
    return this.with({ type });
  }
}

export function aSecret(name: string): SecretBuilder {
  return new SecretBuilder({ apiVersion: 'v1', kind: 'Secret', name }).atResourceVersion('11');
}
