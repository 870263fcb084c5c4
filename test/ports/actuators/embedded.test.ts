// The example actuator against the embedded API server.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startApiServer, writeKubeconfig } from '@capi-serverless/apiserver';
import { loadCredentials } from '../../../shared/kubernetes/credentials/load.ts';
import { createTestClient } from '../../support/test-client.ts';
import { actuatorsOn } from './suite.ts';

actuatorsOn('the embedded API server', async () => {
  const server = await startApiServer();
  const folder = mkdtempSync(path.join(tmpdir(), 'capi-actuators-'));
  const kubeconfigPath = path.join(folder, 'kubeconfig');
  writeKubeconfig(kubeconfigPath, server.kubeconfig);
  const credentials = await loadCredentials({ kubeconfigPath });
  return {
    kubernetes: createTestClient({ credentials, client: 'conformance' }),
    async close() {
      await server.stop();
      rmSync(folder, { recursive: true });
    },
  };
});
