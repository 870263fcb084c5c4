// The provider kinds of this project against the embedded API server.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startApiServer, writeKubeconfig } from '@capi-serverless/apiserver';
import { loadCredentials } from '../../../shared/kubernetes/credentials/load.ts';
import { installDefinitions } from '../../support/install-definitions.ts';
import { createTestClient } from '../../support/test-client.ts';
import { providersOn } from './suite.ts';

providersOn('the embedded API server', async () => {
  const server = await startApiServer();
  const folder = mkdtempSync(path.join(tmpdir(), 'capi-providers-'));
  const kubeconfigPath = path.join(folder, 'kubeconfig');
  writeKubeconfig(kubeconfigPath, server.kubeconfig);
  const kubernetes = createTestClient({
    credentials: await loadCredentials({ kubeconfigPath }),
    client: 'conformance',
  });
  return {
    kubernetes,
    async install(crds) {
      await installDefinitions(kubernetes, crds);
    },
    async close() {
      await server.stop();
      rmSync(folder, { recursive: true });
    },
  };
});
