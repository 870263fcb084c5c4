// The REST adapter against the embedded API server.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startApiServer, writeKubeconfig } from '@capi-serverless/apiserver';
import { loadCredentials } from '../../../shared/kubernetes/credentials/load.ts';
import { createTestClient } from '../../support/test-client.ts';
import { expectValue } from '../answers.ts';
import { kubernetesConformance } from './suite.ts';

kubernetesConformance('REST adapter, embedded API server', {
  async open() {
    const server = await startApiServer();
    const dir = mkdtempSync(path.join(tmpdir(), 'capi-embedded-'));
    const kubeconfigPath = path.join(dir, 'kubeconfig');
    writeKubeconfig(kubeconfigPath, server.kubeconfig);
    const kubernetes = createTestClient({
      credentials: await loadCredentials({ kubeconfigPath }),
      client: 'conformance',
    });
    return {
      kubernetes,
      async install(crd) {
        expectValue(await kubernetes.create(crd));
      },
      async close() {
        await server.stop();
        rmSync(dir, { recursive: true });
      },
    };
  },
});
