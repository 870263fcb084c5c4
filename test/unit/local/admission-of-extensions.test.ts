// Admission of ExtensionConfigs by the embedded API server, with this project's implementation of Cluster API's
// webhooks.

import { type Kubernetes, toRef } from '@capi-serverless/apimachinery';
import { createApiCore } from '@capi-serverless/apiserver/core';
import { beforeEach, expect, it } from 'vitest';
import { createAdmission, localAdmissionGates } from '../../../local/admission.ts';
import { extensionConfigCrd } from '../../../shared/api/extension-config/crd.ts';
import { createMemoryKubernetes } from '../../../shared/kubernetes/memory/memory-kubernetes.ts';
import { anExtensionConfig } from '../../support/extension-config.ts';
import { countingIds, installCrd } from '../../support/memory-api.ts';

const byService = anExtensionConfig()
  .withService({ name: 's', namespace: 'n' })
  .withSpec({ namespaceSelector: undefined });
const ref = toRef(byService.build());
let kubernetes: Kubernetes;

beforeEach(() => {
  const core = createApiCore({ now: () => 0, ids: countingIds(), ...createAdmission(localAdmissionGates) });
  installCrd(core, extensionConfigCrd);
  kubernetes = createMemoryKubernetes(core);
});

it('stores the given object with its defaults, at every write', async () => {
  const spec = { clientConfig: { service: { name: 's', namespace: 'n', port: 443 } }, namespaceSelector: {} };
  expect(await kubernetes.create(byService.intent())).toMatchObject({ ok: true, value: { spec } });
  const without = { spec: { namespaceSelector: null, settings: { k: 'v' } } };
  expect(await kubernetes.mergePatch(ref, without)).toMatchObject({
    ok: true,
    value: { metadata: { generation: 2 }, spec: { ...spec, settings: { k: 'v' } } },
  });
});

it('refuses the same objects as Cluster API, with its messages, and allows every deletion', async () => {
  expect(await kubernetes.create(anExtensionConfig().named('a.b').intent())).toMatchObject({
    ok: false,
    failure: {
      reason: 'Invalid',
      message:
        'admission webhook "validation.extensionconfig.runtime.cluster.x-k8s.io" denied the request: ' +
        'ExtensionConfig.runtime.cluster.x-k8s.io "a.b" is invalid: metadata.name: Invalid value: "a.b": ' +
        'ExtensionConfig name should be a valid DNS1123 label name: [must not contain dots]',
    },
  });
  await kubernetes.create(byService.intent());
  expect(await kubernetes.mergePatch(ref, { spec: { clientConfig: { url: 'https://h' } } })).toMatchObject({
    ok: false,
    failure: { message: expect.stringContaining('only one of url or service can be defined') },
  });
  expect(await kubernetes.delete(ref)).toMatchObject({ ok: true });
});
