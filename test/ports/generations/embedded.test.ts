// Both provider generations on the embedded API server.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { systemClock } from '@capi-serverless/apimachinery/system-clock';
import { startApiServer, writeKubeconfig } from '@capi-serverless/apiserver';
import { loadCredentials } from '../../../shared/kubernetes/credentials/load.ts';
import { createClients, installKinds } from './servers.ts';
import { generationsOn } from './suite.ts';

generationsOn('the embedded API server', async () => {
  const server = await startApiServer();
  const folder = mkdtempSync(path.join(tmpdir(), 'capi-generations-'));
  const kubeconfigPath = path.join(folder, 'kubeconfig');
  writeKubeconfig(kubeconfigPath, server.kubeconfig);
  const credentials = await loadCredentials({ kubeconfigPath });
  const kubernetes = createClients(() => credentials);
  await installKinds(kubernetes('tests'));
  return {
    kubernetes,
    now: systemClock.now,
    async close() {
      await server.stop();
      rmSync(folder, { recursive: true });
    },
  };
});
