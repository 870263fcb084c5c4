// An extension server stops, restarts with fewer handlers, and gets another certificate authority.

import { type ObjectRef, type Unstructured, valueAt } from '@capi-serverless/apimachinery';
import type { FakeAnswer } from '../../../support/fake-hooks.ts';
import { canary } from '../../oracles/secrecy.ts';
import { conditionOf, home, namespaceNamed, secretRef, toIntent, type Workload } from '../workload.ts';

const url = 'https://extension.example:8443';
const config: ObjectRef = { apiVersion: 'runtime.cluster.x-k8s.io/v1beta2', kind: 'ExtensionConfig', name: 'ext1' };
const secret = secretRef('ext1-ca');

function encoded(text: string): string {
  return Buffer.from(text).toString('base64');
}

function pem(content: string): string {
  return `-----BEGIN CERTIFICATE-----\n${encoded(content)}\n-----END CERTIFICATE-----\n`;
}

function serving(...names: readonly string[]): FakeAnswer {
  const requestHook = { apiVersion: 'hooks.runtime.cluster.x-k8s.io/v1alpha1', hook: 'GeneratePatches' };
  return { body: { status: 'Success', handlers: names.map(name => ({ name, requestHook })) } };
}

function handlersOf(object: Unstructured | undefined): number {
  const handlers = valueAt(object?.status, 'handlers');
  return Array.isArray(handlers) ? handlers.length : 0;
}

export const extension: Workload = {
  name: 'extension',
  about: 'An extension server is discovered, goes down, comes back with fewer handlers, and its authority is replaced',
  async script(user) {
    user.serve(url, serving('first', 'second'));
    await user.create(
      namespaceNamed(home),
      { ...toIntent(secret), data: { 'ca.crt': encoded(pem('one')), 'tls.key': encoded(canary) } },
      {
        ...toIntent(config),
        metadata: {
          name: config.name,
          annotations: { 'runtime.cluster.x-k8s.io/inject-ca-from-secret': `${home}/${secret.name}` },
        },
        spec: { clientConfig: { url }, namespaceSelector: {} },
      },
    );
    await user.until('known handlers', config, it => conditionOf(it, 'Discovered') === 'True');
    user.serve(url, { unreachable: 'connection refused' });
    await user.patch(config, { spec: { settings: { changed: 'once' } } });
    await user.until(
      'a failed discovery',
      config,
      it => conditionOf(it, 'Discovered') === 'False' && handlersOf(it) === 2,
    );
    user.serve(url, serving('first'));
    await user.until('one handler', config, it => conditionOf(it, 'Discovered') === 'True' && handlersOf(it) === 1);
    await user.patch(secret, { data: { 'ca.crt': encoded(pem('two')) } });
    await user.until(
      'the new authority',
      config,
      it => valueAt(it?.spec, 'clientConfig.caBundle') === encoded(pem('two')),
    );
    await user.until('known handlers', config, it => conditionOf(it, 'Discovered') === 'True');
  },
};
